// Nothing but the precompiled header: the target that the tests take it from needs one source.
#include "tests/standard.hpp"
