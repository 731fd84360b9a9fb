#include "reference/surd.hpp"

namespace attncert {

void SurdSum::add(const Rational& coefficient, const Rational& radicand) {
  ATTNCERT_ASSERT(sgn(radicand) >= 0);
  if (sgn(coefficient) == 0 || sgn(radicand) == 0) return;
  const mpz_class core = radicand.get_num() * radicand.get_den();
  const Rational own = coefficient / Rational(radicand.get_den());
  for (Term& term : classes_) {
    const mpz_class product = term.core * core;
    if (mpz_perfect_square_p(product.get_mpz_t()) == 0) continue;
    // sqrt(core) = sqrt(core * term.core) / term.core * sqrt(term.core)
    Rational factor{mpz_class(sqrt(product)), term.core};
    factor.canonicalize();
    term.coefficient += own * factor;
    return;
  }
  classes_.push_back({own, core});
}

SurdSum& SurdSum::operator+=(const SurdSum& other) {
  for (const Term& term : other.classes_) add(term.coefficient, term.core);
  return *this;
}

bool operator==(SurdSum a, const SurdSum& b) {
  for (const SurdSum::Term& term : b.classes_) a.add(-term.coefficient, term.core);
  return a.is_zero();
}

bool SurdSum::is_zero() const {
  for (const Term& term : classes_)
    if (sgn(term.coefficient) != 0) return false;
  return true;
}

}  // namespace attncert
