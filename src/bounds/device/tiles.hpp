// Rows of bounds are cut into the tiles that every kernel of f64 has.
#pragma once

#include "src/device/tiles.hpp"

namespace attncert::bounds {

using device::tile_bits;
using device::tiles_of;
using device::TileShape;
using device::TileWork;

}  // namespace attncert::bounds
