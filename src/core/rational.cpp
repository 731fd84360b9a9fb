#include "src/core/rational.hpp"

#include <algorithm>
#include <cmath>

namespace attncert {

Rational ratio(long numerator, unsigned long denominator) {
  ATTNCERT_ASSERT(denominator > 0);
  Rational value(numerator, denominator);
  value.canonicalize();
  return value;
}

Rational exact(double value) {
  ATTNCERT_ASSERT(std::isfinite(value));
  return Rational(value);
}

std::string to_text(const Rational& value) { return value.get_str(); }

Result<Rational> rational_from_text(std::string_view text) {
  const auto fault = [&](const char* what) {
    std::string quoted(text.substr(0, 40));
    std::replace_if(
        quoted.begin(), quoted.end(), [](char c) { return c < ' ' || c > '~'; }, '?');  // stays one line
    return Error{"\"" + quoted + "\": " + what + "; write an exact number as \"p\" or \"p/q\""};
  };
  if (text.empty() || text.size() > 100'000) return fault("empty or longer than 100,000 characters");
  const auto slash = text.find('/');
  const auto all_digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  std::string_view numerator = text.substr(0, slash);
  if (numerator.starts_with('-')) numerator.remove_prefix(1);
  if (!all_digits(numerator)) return fault("not a whole numerator");
  Rational value;
  if (slash != std::string_view::npos) {
    const std::string_view denominator = text.substr(slash + 1);
    if (!all_digits(denominator)) return fault("not a whole positive denominator");
    if (denominator.find_first_not_of('0') == std::string_view::npos) return fault("denominator zero");
  }
  if (value.set_str(std::string(text), 10) != 0) return fault("not a number");
  value.canonicalize();
  return value;
}

std::size_t bits(const Rational& value) {
  return mpz_sizeinbase(value.get_num_mpz_t(), 2) + mpz_sizeinbase(value.get_den_mpz_t(), 2) - 1;
}

double approximate(const Rational& value) { return value.get_d(); }

}  // namespace attncert
