// exp(t) 2^(j/16) for |t| <= 1.001 ln2 / 32: 2^(j/16), j = 0 .. 15, rounded to f32, what the rounding lost as a
// logarithm, and the polynomial exp(t) = 1 + t + t^2 (square + cubic t), off by 2^-29.2 of it. Numbers:
// scripts/fit_exp.py.
#pragma once

namespace attncert {

alignas(64) inline constexpr float kPowers[16] = {0x1p+0f,        0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f,
                                                  0x1.306fep+0f,  0x1.3dea64p+0f, 0x1.4bfdaep+0f, 0x1.5ab07ep+0f,
                                                  0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f,
                                                  0x1.ae89fap+0f, 0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f};
alignas(64) inline constexpr float kPowersLost[16] = {
    0x0p+0f,          0x1.8d96d4p-25f,  -0x1.9c0c22p-27f, 0x1.964902p-25f,  0x1.125002p-25f, 0x1.370be4p-25f,
    -0x1.0a3552p-25f, -0x1.00d8acp-27f, 0x1.26055cp-26f,  -0x1.05cb44p-25f, 0x1.67a1cap-28f, 0x1.a3b5e4p-28f,
    -0x1.f9c306p-27f, -0x1.6961b4p-28f, -0x1.a5217cp-28f, 0x1.61428ep-28f};
inline constexpr float kPowersSquare = 0x1.00022p-1f, kPowersCubic = 0x1.55563ap-3f;

}  // namespace attncert
