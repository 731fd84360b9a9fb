#include "src/core/witness.hpp"
