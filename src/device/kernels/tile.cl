// A row is cut into tiles of TILE places; a group has one of them. THREADS threads have EACH places, THREADS EACH =
// TILE.
#ifndef ATTNCERT_TILE
#define ATTNCERT_TILE
#include "src/device/kernels/f64.cl"

#define TILE 256u

// The place of this thread's number `j` in the tile.
DEVICE u32 place_of(u32 j) { return j * THREADS + thread_id(); }

#endif  // ATTNCERT_TILE
