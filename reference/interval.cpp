#include "reference/interval.hpp"

#include <cmath>
#include <limits>

#include "reference/interval_engine.hpp"

namespace attncert {
namespace {

// A quotient of 64-bit numbers, rounded once more to double, both upward: enough for display and screening.
constexpr mpfr_prec_t screening_bits = 64;

// MPFR's own number, cleared at the end of the scope.
struct Scratch {
  explicit Scratch(mpfr_prec_t bits) { mpfr_init2(number, bits); }
  ~Scratch() { mpfr_clear(number); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  mpfr_t number;
};

mpfr_prec_t checked(Precision precision) {
  ATTNCERT_ASSERT(precision.bits >= 2 && precision.bits <= (1 << 24));
  return precision.bits;
}

// A power of two below the line: what every float is made of. mpfr_set_q would divide.
bool set_dyadic(Representation& a, const Rational& value) {
  const mp_bitcnt_t shift = mpz_scan1(value.get_den_mpz_t(), 0);
  if (mpz_sizeinbase(value.get_den_mpz_t(), 2) != shift + 1) return false;
  const auto exponent = -static_cast<mpfr_exp_t>(shift);
  if (mpfr_set_z_2exp(a.left(), value.get_num_mpz_t(), exponent, MPFR_RNDD) == 0)
    mpfr_set(a.right(), a.left(), MPFR_RNDU);
  else mpfr_set_z_2exp(a.right(), value.get_num_mpz_t(), exponent, MPFR_RNDU);
  return true;
}

std::string decimal(mpfr_srcptr value, int digits, mpfr_rnd_t rounding) {
  if (mpfr_zero_p(value)) return "0";  // whatever its sign
  char* text = nullptr;
  const int length = mpfr_asprintf(&text, "%.*R*g", digits, rounding, value);
  ATTNCERT_ASSERT(length > 0);
  std::string copy(text, static_cast<std::size_t>(length));
  mpfr_free_str(text);
  return copy;
}

Rational exact_end(mpfr_srcptr end) {
  ATTNCERT_ASSERT(mpfr_number_p(end));
  Rational value;
  mpfr_get_q(value.get_mpq_t(), end);
  return value;
}

Interval& update(Interval& a, int (*operation)(mpfi_ptr, mpfi_srcptr, mpfi_srcptr), const Interval& b) {
  IntervalAccess::raise_precision(a, b.engine().bits());
  operation(a.engine().pair(), a.engine().pair(), b.engine().pair());
  return a;
}

}  // namespace

Interval::Interval(std::unique_ptr<Representation> state) : state_(std::move(state)) {}

Interval::Interval(double value, Precision precision) : state_(std::make_unique<Representation>(checked(precision))) {
  ATTNCERT_ASSERT(std::isfinite(value));
  mpfi_set_d(state_->pair(), value);
}

Interval::Interval(const Rational& value, Precision precision)
    : state_(std::make_unique<Representation>(checked(precision))) {
  if (!set_dyadic(*state_, value)) mpfi_set_q(state_->pair(), value.get_mpq_t());
}

Interval Interval::whole_line(Precision precision) {
  Interval line = IntervalAccess::zero(checked(precision));
  set_whole_line(line.engine());
  return line;
}

Interval Interval::between(const Interval& low, const Interval& high) {
  ATTNCERT_ASSERT(mpfr_lessequal_p(low.engine().left(), high.engine().right()));
  Interval result = IntervalAccess::zero(std::max(low.engine().bits(), high.engine().bits()));
  mpfr_set(result.engine().left(), low.engine().left(), MPFR_RNDD);
  mpfr_set(result.engine().right(), high.engine().right(), MPFR_RNDU);
  return result;
}

Interval::Interval(const Interval& other) {
  if (!other.state_) return;
  state_ = std::make_unique<Representation>(other.state_->bits());
  mpfi_set(state_->pair(), other.state_->pair());
}

Interval& Interval::operator=(const Interval& other) {
  if (this == &other) return *this;
  if (!state_ || !other.state_ || state_->bits() != other.state_->bits()) return *this = Interval(other);
  mpfi_set(state_->pair(), other.state_->pair());
  return *this;
}

Interval::Interval(Interval&&) noexcept = default;
Interval& Interval::operator=(Interval&&) noexcept = default;
Interval::~Interval() = default;

Precision Interval::precision() const { return {static_cast<int>(state_->bits())}; }

Interval Interval::rounded(Precision precision) const {
  Interval result = IntervalAccess::zero(checked(precision));
  mpfi_set(result.engine().pair(), state_->pair());
  return result;
}

double Interval::lower() const { return mpfr_get_d(state_->left(), MPFR_RNDD); }
double Interval::upper() const { return mpfr_get_d(state_->right(), MPFR_RNDU); }

double Interval::midpoint() const {
  if (!is_finite()) return mpfr_inf_p(state_->left()) ? (mpfr_inf_p(state_->right()) ? 0 : lower()) : upper();
  Scratch middle(state_->bits() + 1);
  mpfr_add(middle.number, state_->left(), state_->right(), MPFR_RNDN);
  mpfr_div_2ui(middle.number, middle.number, 1, MPFR_RNDN);
  return mpfr_get_d(middle.number, MPFR_RNDN);
}

double Interval::width() const {
  if (!is_finite()) return std::numeric_limits<double>::infinity();
  Scratch width(screening_bits);
  mpfr_sub(width.number, state_->right(), state_->left(), MPFR_RNDU);
  return mpfr_get_d(width.number, MPFR_RNDU);
}

double Interval::relative_width() const {
  if (is_point()) return 0;
  const bool positive = mpfr_sgn(state_->left()) > 0;
  if (!is_finite() || (!positive && mpfr_sgn(state_->right()) >= 0)) return std::numeric_limits<double>::infinity();
  Scratch width(screening_bits);
  mpfr_sub(width.number, state_->right(), state_->left(), MPFR_RNDU);
  if (positive) mpfr_div(width.number, width.number, state_->left(), MPFR_RNDU);
  else mpfr_div(width.number, width.number, state_->right(), MPFR_RNDD);  // a negative quotient: away from 0
  return std::fabs(mpfr_get_d(width.number, positive ? MPFR_RNDU : MPFR_RNDD));
}

bool Interval::contains(const Rational& value) const {
  return mpfr_cmp_q(state_->left(), value.get_mpq_t()) <= 0 && mpfr_cmp_q(state_->right(), value.get_mpq_t()) >= 0;
}

bool Interval::is_point() const { return mpfr_equal_p(state_->left(), state_->right()) != 0; }
bool Interval::is_finite() const { return is_bounded(*state_); }
Rational Interval::lower_exact() const { return exact_end(state_->left()); }
Rational Interval::upper_exact() const { return exact_end(state_->right()); }

std::string Interval::text(int digits) const {
  return "[" + decimal(state_->left(), digits, MPFR_RNDD) + ", " + decimal(state_->right(), digits, MPFR_RNDU) + "]";
}

Interval& Interval::operator+=(const Interval& b) { return update(*this, mpfi_add, b); }
Interval& Interval::operator-=(const Interval& b) { return update(*this, mpfi_sub, b); }
Interval& Interval::operator*=(const Interval& b) { return update(*this, mpfi_mul, b); }

Interval& Interval::operator/=(const Interval& b) {
  if (mpfr_sgn(b.state_->left()) > 0 || mpfr_sgn(b.state_->right()) < 0) return update(*this, mpfi_div, b);
  IntervalAccess::raise_precision(*this, b.state_->bits());
  set_whole_line(*state_);
  return *this;
}

Interval operator+(Interval a, const Interval& b) { return std::move(a += b); }
Interval operator-(Interval a, const Interval& b) { return std::move(a -= b); }
Interval operator*(Interval a, const Interval& b) { return std::move(a *= b); }
Interval operator/(Interval a, const Interval& b) { return std::move(a /= b); }

std::vector<Interval> enclosures(std::span<const Rational> values, Precision precision) {
  std::vector<Interval> row;
  row.reserve(values.size());
  for (const Rational& value : values) row.emplace_back(value, precision);
  return row;
}

void release_thread_caches() noexcept {
  mpfr_free_cache();
  release_number_memory();
}

}  // namespace attncert
