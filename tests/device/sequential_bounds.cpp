#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "src/device/kernels/excess.cl"
#include "tests/device/sequential_arguments.hpp"
#include "tests/device/sequential_device.hpp"

namespace attncert {
namespace {

constexpr std::size_t tile_places = 256, part_places = 16, asked_numbers = 5;

enum class Joined { sum, largest, smallest };

double joined(Joined how, double a, double b) {
  if (how == Joined::sum) return a + b;
  return how == Joined::largest ? std::max(a, b) : std::min(a, b);
}

// The numbers of a tile's places: sixteen parts of sixteen neighbours, then the parts.
double folded(Joined how, const std::vector<double>& places) {
  double whole = 0;
  for (std::size_t part = 0; part < tile_places; part += part_places) {
    double of_part = places[part];
    for (std::size_t k = 1; k < part_places; ++k) of_part = joined(how, of_part, places[part + k]);
    whole = part == 0 ? of_part : joined(how, whole, of_part);
  }
  return whole;
}

void gram(Arguments arguments) {
  const auto* columns = arguments.buffer<double>();
  auto* products = arguments.buffer<double>();
  auto* facts = arguments.buffer<double>();
  const auto count = arguments.value<u64>(), stride = arguments.value<u64>(), dimension = arguments.value<u64>();
  for (u64 i = 0; i < count; ++i) {
    double least = LARGEST, most = 0;
    for (u64 j = 0; j < count; ++j) {
      double product = 0, apart = 0;
      for (u64 k = 0; k < dimension; ++k) {
        const double x = columns[k * stride + i], y = columns[k * stride + j];
        product = std::fma(x, y, product);
        apart = std::fma(x - y, x - y, apart);
      }
      products[i * stride + j] = product;
      if (j < i) least = std::min(least, apart), most = larger64(most, apart);
    }
    facts[3 * i] = products[i * stride + i];
    facts[3 * i + 1] = least;
    facts[3 * i + 2] = most;
  }
}

void own_products(Arguments arguments) {
  const auto *products = arguments.buffer<double>(), *row_weights = arguments.buffer<double>();
  const auto *row_order = arguments.buffer<u32>(), *sizes = arguments.buffer<u32>();
  auto* own = arguments.buffer<double>();
  const auto products_stride = arguments.value<u64>(), row_stride = arguments.value<u64>();
  const std::size_t rows = arguments.groups() >> arguments.value<u32>();
  for (std::size_t r = 0; r < rows; ++r)
    for (u32 rank = 0; rank < sizes[2 * r]; ++rank) {
      const u32* order = row_order + r * row_stride;
      double c = 0;
      for (u32 k = 0; k < rank; ++k)
        c = std::fma(row_weights[r * row_stride + order[k]], products[order[k] * products_stride + order[rank]], c);
      own[r * row_stride + rank] = c;
    }
}

// One token on its way over the ranks.
struct Walker {
  double c = 0, farthest = 0;
};

// What rest and within share: rows, tiles, points and the walk between them. answer(row, token, walker, N, asked, put)
// puts a place's numbers.
struct Walk {
  const double *products, *norms, *row_weights, *row_alphas;
  const u32 *row_ranks, *row_order, *sizes, *row_counts;
  const double* row_asked;
  double* row_answers;
  u64 products_stride, row_stride, point_stride;
  u32 tile_bits;
  std::size_t groups;

  explicit Walk(Arguments& arguments) {
    products = arguments.buffer<double>(), norms = arguments.buffer<double>();
    row_weights = arguments.buffer<double>(), row_alphas = arguments.buffer<double>();
    row_ranks = arguments.buffer<u32>(), row_order = arguments.buffer<u32>();
    sizes = arguments.buffer<u32>(), row_counts = arguments.buffer<u32>();
    row_asked = arguments.buffer<double>();
    row_answers = arguments.buffer<double>();
    products_stride = arguments.value<u64>(), row_stride = arguments.value<u64>();
    point_stride = arguments.value<u64>();
    tile_bits = arguments.value<u32>();
    groups = arguments.groups();
  }

  void advance(std::size_t r, u32 i, u32 from, u32 N, Walker& walker) const {
    for (u32 k = from; k < N; ++k) {
      const u32 token = row_order[r * row_stride + k];
      const double product = products[token * products_stride + i];
      walker.c = std::fma(row_weights[r * row_stride + token], product, walker.c);
      walker.farthest = larger64(walker.farthest, apart_of(norms[i], norms[token], product));
    }
  }

  template <class Answer>
  void run(const std::vector<Joined>& quantities, Answer answer, double* last_products) const {
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t r = group >> tile_bits, tile = group - (r << tile_bits), first = tile * tile_places;
      const std::size_t length = std::max<std::size_t>(sizes[2 * r], first);
      std::vector<Walker> walkers(std::min(tile_places, length - first));
      const u32 points = walkers.empty() ? 1 : sizes[2 * r + 1];  // 1 behind the row, and nobody reads it
      u32 done = 0;
      for (u32 point = 0; point < points; ++point) {
        const u32 N = row_counts[r * point_stride + point];
        std::vector<std::vector<double>> numbers;
        for (const Joined how : quantities) numbers.emplace_back(tile_places, how == Joined::smallest ? LARGEST : 0.0);
        for (u32 place = 0; place < walkers.size(); ++place) {
          const u32 i = static_cast<u32>(first) + place;
          advance(r, i, done, N, walkers[place]);
          answer(r, i, walkers[place], N, row_asked + (r * point_stride + point) * asked_numbers, [&](auto... found) {
            std::size_t q = 0;
            ((numbers[q++][place] = found), ...);
          });
        }
        for (std::size_t q = 0; q < quantities.size(); ++q)
          row_answers[(group * point_stride + point) * quantities.size() + q] = folded(quantities[q], numbers[q]);
        done = N;
      }
      for (u32 place = 0; last_products != nullptr && place < walkers.size(); ++place)
        last_products[r * row_stride + first + place] = walkers[place].c;
    }
  }
  double excess(std::size_t r, u32 i, const Walker& walker) const {
    return excess_of(row_weights[r * row_stride + i], norms[i], walker.c);
  }
  double width(std::size_t r, u32 i, const double* asked) const {
    return width_of({asked[2], asked[3], asked[4]}, row_alphas[r * row_stride + i]);
  }
  u32 rank(std::size_t r, u32 i) const { return row_ranks[r * row_stride + i]; }
};

void rest(Arguments arguments) {
  const Walk walk(arguments);
  auto* last_products = arguments.buffer<double>();
  walk.run(
      {Joined::sum, Joined::sum, Joined::largest, Joined::smallest, Joined::smallest},
      [&](std::size_t r, u32 i, const Walker& walker, u32 N, const double* asked, auto put) {
        if (walk.rank(r, i) < N) return;
        const double e = walk.excess(r, i, walker), width = walk.width(r, i, asked);
        const Root f = root_of(larger64(asked[0] + e, asked[1]));
        put(f.root, f.inverse, walker.farthest, e - width, e + width);
      },
      last_products);
}

void within(Arguments arguments) {
  const Walk walk(arguments);
  walk.run(
      {Joined::sum, Joined::sum},
      [&](std::size_t r, u32 i, const Walker& walker, u32 N, const double* asked, auto put) {
        if (walk.rank(r, i) >= N) return;
        const double e = walk.excess(r, i, walker), width = walk.width(r, i, asked);
        put(e + width <= asked[0] ? 1.0 : 0.0, e - width <= asked[1] ? 1.0 : 0.0);
      },
      nullptr);
}

// Sums over the places of a row, tile by tile, 2^bits of them: numbers(i, put) of place i.
template <class Numbers>
void sums(std::size_t quantities, std::size_t length, u32 bits, double* answers, Numbers numbers) {
  for (std::size_t first = 0; first < tile_places << bits; first += tile_places) {
    std::vector<std::vector<double>> places(quantities, std::vector<double>(tile_places, 0.0));
    for (std::size_t place = 0; place < tile_places && first + place < length; ++place)
      numbers(first + place, [&](auto... found) {
        std::size_t q = 0;
        ((places[q++][place] = found), ...);
      });
    for (std::size_t q = 0; q < quantities; ++q)
      answers[first / tile_places * quantities + q] = folded(Joined::sum, places[q]);
  }
}

void head(Arguments arguments) {
  const auto* row_weights = arguments.buffer<double>();
  const auto* sizes = arguments.buffer<u32>();
  auto* answers = arguments.buffer<double>();
  const auto row_stride = arguments.value<u64>();
  const auto bits = arguments.value<u32>();
  for (std::size_t r = 0; r < arguments.groups() >> bits; ++r) {
    const double* weights = row_weights + r * row_stride;
    sums(3, sizes[2 * r], bits, answers + (r << bits) * 3, [&](std::size_t i, auto put) {
      const double q = i == sizes[2 * r + 1] ? 0.0 : quotient(weights[i], weights[sizes[2 * r + 1]]);
      put(q, q * q, q * log_of_reciprocal(q));
    });
  }
}

void poles(Arguments arguments) {
  const auto* row_weights = arguments.buffer<double>();
  const auto *sizes = arguments.buffer<u32>(), *active = arguments.buffer<u32>();
  const auto* at = arguments.buffer<double>();
  auto* answers = arguments.buffer<double>();
  const auto row_stride = arguments.value<u64>();
  const auto bits = arguments.value<u32>();
  for (std::size_t n = 0; n < arguments.groups() >> bits; ++n) {
    const double* weights = row_weights + active[n] * row_stride;
    sums(2, sizes[active[n]], bits, answers + (n << bits) * 2, [&](std::size_t i, auto put) {
      const double term = quotient(weights[i], at[n] - weights[i]);
      put(term, term * term);
    });
  }
}

void inertia(Arguments arguments) {
  const auto *row_weights = arguments.buffer<double>(), *row_squares = arguments.buffer<double>(),
             *shifts = arguments.buffer<double>();
  const auto *sizes = arguments.buffer<u32>(), *active = arguments.buffer<u32>();
  const auto* at = arguments.buffer<double>();
  auto* answers = arguments.buffer<double>();
  const auto row_stride = arguments.value<u64>();
  const auto bits = arguments.value<u32>();
  for (std::size_t n = 0; n < arguments.groups() >> bits; ++n) {
    const u32 r = active[n];
    sums(6, sizes[r], bits, answers + (n << bits) * 6, [&](std::size_t i, auto put) {
      const double w = row_weights[r * row_stride + i], square = row_squares[r * row_stride + i];
      const double tau = quotient(square, at[n] - square), lifted = w * (1 + tau), e = w - shifts[r], moved = tau * e;
      put(tau, lifted, w * lifted, moved, std::fabs(moved), moved * e);
    });
  }
}

}  // namespace

Result<device::MemoryPointer> SequentialDevice::allocate(std::size_t bytes) const {
  if (bytes > most_) return Error{"a buffer of " + std::to_string(bytes) + " bytes"};
  return device::MemoryPointer(std::make_shared<HostMemory>(bytes));
}

Result<Done> SequentialDevice::write(const device::Memory& to, const void* from, std::size_t bytes) const {
  if (bytes > 0) std::memcpy(static_cast<const HostMemory&>(to).data(), from, bytes);
  return Done{};
}

Result<Done> SequentialDevice::read(void* to, const device::Memory& from, std::size_t bytes) const {
  if (bytes > 0) std::memcpy(to, static_cast<const HostMemory&>(from).data(), bytes);
  return Done{};
}

Result<Done> SequentialDevice::launch(const device::Launch& launch) const {
  ++launches_;
  const std::pair<const char*, void (*)(Arguments)> kernels[] = {{"gram", gram},
                                                                 {"own_products", own_products},
                                                                 {"rest", rest},
                                                                 {"within", within},
                                                                 {"head", head},
                                                                 {"poles", poles},
                                                                 {"inertia", inertia},
                                                                 {"truths", sequential_truths},
                                                                 {"judge", sequential_judge}};
  for (const auto& [name, run] : kernels)
    if (launch.kernel == name) {
      run(Arguments(launch));
      return Done{};
    }
  return Error{"the sequential program has no " + launch.kernel};
}

}  // namespace attncert
