// Constants of the double-double tier: printed by scripts/double_double_constants.py, held to Interval's values by
// tests/properties/conformance/double_double/bounds_test.cpp; the proved bounds are those of docs/double-double.md.
#pragma once

namespace attncert::double_double {

inline constexpr double steps_per_unit = 0x1.71547652b82fep+4;  // 16 / ln2
inline constexpr double step_first = 0x1.62e42fefa0000p-5, step_second = 0x1.cf79abca00000p-44,
                        step_third = -0x1.c4c67fc0d0951p-80;
// 2^(j/16), rounded
inline constexpr double power_heads[] = {
    0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0,
};
// 2^(j/16) / power_heads[j] - 1, rounded
inline constexpr double power_rests[] = {
    0x0.0p+0,
    0x1.79aa65d837b6dp-54,
    -0x1.01b15eaa59348p-55,
    0x1.68efde3a8a894p-54,
    0x1.34d754db0abb6p-55,
    0x1.59f48a72a4c6dp-55,
    0x1.690cebb7aafb0p-56,
    0x1.063e1e21c5409p-54,
    -0x1.3b3efbf5e2228p-54,
    -0x1.b32dcb94da51dp-56,
    0x1.db72fc1f0eab4p-55,
    0x1.1affc2b91ce27p-56,
    0x1.c1a7792cb3387p-55,
    0x1.36eae30af0cb3p-56,
    0x1.4a385a63d07a7p-56,
    -0x1.ff7128fd391f0p-55,
};
// 1/k!, k = 5 .. 11, rounded
inline constexpr double inverse_factorials[] = {
    0x1.1111111111111p-7,  0x1.6c16c16c16c17p-10, 0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-16,
    0x1.71de3a556c734p-19, 0x1.27e4fb7789f5cp-22, 0x1.ae64567f544e4p-26,
};
inline constexpr double inverse_factorial_3 = 0x1.5555555555555p-3, inverse_factorial_3_rest = 0x1.5555555555555p-57;
inline constexpr double inverse_factorial_4 = 0x1.5555555555555p-5, inverse_factorial_4_rest = 0x1.5555555555555p-59;
inline constexpr double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;

// exp(x) comes as 2^scale exp(x): what lies below f64's smallest subnormal still has full precision.
inline constexpr int exponential_scale = 512;
// Below this argument the exponential is taken for exp(deepest_argument): both are below 2^-1154.
inline constexpr double deepest_argument = -800;
// docs/double-double.md, 2: relative error of one exponential, but for the error of its argument.
inline constexpr double exponential_error = 0x1.7p-86;

}  // namespace attncert::double_double
