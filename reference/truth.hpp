// Truth: three answers. "unknown" is what an enclosure says when it is too wide to decide.
#pragma once

namespace attncert {

enum class Truth : signed char { no = -1, unknown = 0, yes = 1 };

constexpr Truth operator&&(Truth a, Truth b) { return a < b ? a : b; }
constexpr Truth operator||(Truth a, Truth b) { return a < b ? b : a; }
constexpr Truth operator!(Truth a) { return static_cast<Truth>(-static_cast<signed char>(a)); }
constexpr Truth truth(bool certain) { return certain ? Truth::yes : Truth::no; }

}  // namespace attncert
