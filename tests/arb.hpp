// Arb, by itself until FLINT 3 took it in.
#pragma once

#include <mpfr.h>  // before it: FLINT 3 declares conversions of MPFR's numbers only then

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#include <flint/fmpq.h>
#else
#include <arb.h>
#endif
