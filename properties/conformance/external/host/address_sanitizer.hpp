// Whether this build has the address sanitizer, which reserves terabytes of shadow memory and keeps what is freed.
#pragma once

namespace attncert::external {

inline constexpr bool address_sanitized =
#if defined(__SANITIZE_ADDRESS__)
    true;
#elif defined(__has_feature)
    __has_feature(address_sanitizer);
#else
    false;
#endif

}  // namespace attncert::external
