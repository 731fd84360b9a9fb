// Arb, by itself until FLINT 3 took it in.
#pragma once

#if __has_include(<flint/arb.h>)
#include <flint/arb_mat.h>
#include <flint/fmpq.h>
#else
#include <arb_mat.h>
#endif
