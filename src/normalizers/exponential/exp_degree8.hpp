// exp(t) = 1 + t + kExpDegree8[0] t^2 + ... + kExpDegree8[6] t^8 for |t| <= 1.001 ln2 / 2, in double where f32 is to
// come of it: scripts/fit_exp.py, largest relative error 2^-39.66.
#pragma once

namespace attncert {

inline constexpr double kExpDegree8[] = {0x1.000000005ea48p-1, 0x1.5555557e09cf0p-3,  0x1.5555541cb6612p-5,
                                         0x1.1110a1fcb1be8p-7, 0x1.6c18d4db2cdb5p-10, 0x1.a186018f1fd4fp-13,
                                         0x1.9e88c5b3abe33p-16};

}  // namespace attncert
