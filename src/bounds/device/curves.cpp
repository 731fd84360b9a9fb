#include "src/bounds/device/curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "src/bounds/context.hpp"
#include "src/bounds/inner_products.hpp"
#include "src/bounds/passed.hpp"
#include "src/device/kernel_texts.hpp"

namespace attncert::bounds {
namespace {

constexpr std::size_t asked_numbers = 5, rest_numbers = 5, within_numbers = 2;  // of walk.cl, rest.cl and within.cl

struct PassingRow {
  std::size_t number = 0;  // among those asked for
  std::size_t length = 0;  // 0 where nothing can be said of the row
  RowState<double> state;
  std::vector<std::uint32_t> counts;  // N of its points from 1 on, and its length behind them
  std::vector<Certified> S;           // by N
  PassedRow passed;
  std::size_t zeros = 0;  // points of N = 0, the first ones
};

// What a batch takes: of the host's memory and of the device's, and in its largest buffer.
struct Taken {
  std::size_t host, device, buffer;
};
Taken taken(std::size_t rows, std::size_t length, std::size_t points) {
  const std::size_t tiles = std::size_t{1} << tile_bits(length);
  // A token of a row: the state's columns with `sorted` and `excess` (16 numbers), its sums by N (7), w, norm and order
  // (3), S (2); what goes to the device and comes back (4).
  const std::size_t token = (16 + 7 + 3 + 2 + 4) * sizeof(double);
  const std::size_t answers = tiles * rest_numbers * sizeof(double), asked = asked_numbers * sizeof(double);
  return {rows * (length * token + points * (sizeof(PassedPoint) + sizeof(std::uint32_t) + asked + answers)),
          rows * (length * 5 * sizeof(double) + points * (sizeof(std::uint32_t) + asked + answers)),
          rows * std::max(length * sizeof(double), points * answers)};
}
// At most: N = 0 is none for the device, and the length is one more.
std::size_t points_of(const AskedRow& row) {
  return (row.points.at.empty() ? row.weights.size() : row.points.at.size()) + 1;
}

// Component k of token j at columns[k stride + j], scaled.
std::vector<double> columns_of(Tokens<double> tokens, int exponent, std::size_t stride) {
  const std::vector<double> x = scaled_tokens(tokens, exponent);
  std::vector<double> columns(std::max<std::size_t>(1, tokens.dimension) * stride);
  for (std::size_t j = 0; j < tokens.count; ++j)
    for (std::size_t k = 0; k < tokens.dimension; ++k) columns[k * stride + j] = x[j * tokens.dimension + k];
  return columns;
}

}  // namespace

Result<DeviceTokens> DeviceTokens::on(const device::Device& device, Tokens<double> tokens, TileShape shape) {
  DeviceTokens made;
  made.device_ = &device;
  made.shape_ = shape;
  const std::size_t count = tokens.count, stride = made.stride_ = padded(count);
  made.facts_.tokens = tokens;
  made.facts_.exponent = largest_exponent(tokens);
  made.facts_.error = product_error<double>(tokens.dimension);
  made.facts_.floor = product_floor<double>;
  TileWork work(device, shape);
  const auto columns = work.in(columns_of(tokens, made.facts_.exponent, stride));
  const auto facts = work.room<double>(3 * count);
  made.products_ = work.room<double>(count * stride);
  work.launch(
      device::gram_text, "gram", count,
      {columns, made.products_, facts, std::uint64_t{count}, std::uint64_t{stride}, std::uint64_t{tokens.dimension}});
  const std::vector<double> found = work.out(facts, 3 * count);
  made.squared_norms_.resize(count);
  made.pairs_.error = inner_product_error(tokens.dimension);
  made.pairs_.closest.assign(count + 1, std::numeric_limits<double>::infinity());
  made.pairs_.farthest.assign(count + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    made.squared_norms_[i] = found[3 * i];
    made.pairs_.closest[i + 1] = i == 0 ? made.pairs_.closest[0] : std::min(made.pairs_.closest[i], found[3 * i + 1]);
    made.pairs_.farthest[i + 1] = std::max(made.pairs_.farthest[i], found[3 * i + 2]);
  }
  made.norms_ = work.in(made.squared_norms_);
  if (!work.done()) return work.done().error();
  made.facts_.squared_norms = made.squared_norms_;
  return made;
}

// Rows that go through the kernels at a time.
class DevicePass {
 public:
  explicit DevicePass(const DeviceTokens& tokens) : tokens_(tokens), work_(*tokens.device_, tokens.shape_) {}

  void add(const AskedRow& asked, std::size_t number) {
    PassingRow row;
    row.number = number;
    row.state.prepare(asked.weights, asked.points.weights, tokens_.squared_norms_);
    std::vector<std::size_t> N;
    if (chosen_points(asked.points, asked.weights.size(), N) && row.state.valid) row.length = asked.weights.size();
    else N.clear();
    row.zeros = static_cast<std::size_t>(std::upper_bound(N.begin(), N.end(), 0u) - N.begin());
    row.counts.assign(N.begin() + static_cast<std::ptrdiff_t>(row.zeros), N.end());
    if (row.counts.empty() || row.counts.back() < row.length)
      row.counts.push_back(static_cast<std::uint32_t>(row.length));
    row.passed.points.resize(std::max(N.size(), row.zeros + row.counts.size()));
    row_stride_ = std::max(row_stride_, row.length);
    point_stride_ = std::max(point_stride_, row.counts.size());
    rows_.push_back(std::move(row));
  }
  Result<Done> run(std::span<const AskedRow> asked) {
    bits_ = tile_bits(row_stride_);
    lay_out();
    contexts(asked);
    if (work_.done()) rest(asked);
    if (work_.done()) within(asked);
    return work_.done();
  }

  void finish(std::span<const AskedRow> asked, const DeviceTokens::Take& take) {
    DistanceCurves distance;
    SeparabilityCurves separability;
    for (PassingRow& row : rows_) {
      const AskedRow& of = asked[row.number];
      passed_distances(row.state, tokens_.facts_, of.points, row.passed, distance);
      passed_separability(row.state, tokens_.facts_, tokens_.pairs_, of.points, of.token_error, row.passed,
                          separability);
      take(row.number, distance, separability);
    }
  }

 private:
  void lay_out();
  void contexts(std::span<const AskedRow> asked);
  void rest(std::span<const AskedRow> asked);
  void within(std::span<const AskedRow> asked);

  std::vector<device::Argument> walk_arguments(const std::vector<double>& asked, const device::MemoryPointer& answers) {
    return {tokens_.products_,
            tokens_.norms_,
            weights_,
            alphas_,
            ranks_,
            order_,
            sizes_,
            counts_,
            work_.in(asked),
            answers,
            std::uint64_t{tokens_.stride_},
            std::uint64_t{row_stride_},
            std::uint64_t{point_stride_},
            bits_};
  }
  // Number `quantity` of a point in a tile.
  std::size_t answer(std::size_t row, std::size_t tile, std::size_t point, std::size_t numbers) const {
    return ((((row << bits_) + tile) * point_stride_) + point) * numbers;
  }
  std::size_t answers(std::size_t numbers) const { return (rows_.size() << bits_) * point_stride_ * numbers; }

  const DeviceTokens& tokens_;
  TileWork work_;
  std::vector<PassingRow> rows_;
  std::size_t row_stride_ = 1, point_stride_ = 1;
  std::uint32_t bits_ = 0;
  device::MemoryPointer weights_, alphas_, ranks_, order_, sizes_, counts_;
};

void DevicePass::lay_out() {
  const std::size_t all = rows_.size() * row_stride_;
  std::vector<double> weights(all), alphas(all);
  std::vector<std::uint32_t> ranks(all), order(all), sizes, counts(rows_.size() * point_stride_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const RowState<double>& row = rows_[r].state;
    const std::size_t at = r * row_stride_;
    for (std::size_t i = 0; i < rows_[r].length; ++i) {
      weights[at + i] = row.w[i];
      alphas[at + i] = row.columns.alpha[i];
      ranks[at + i] = row.order.rank[i];
      order[at + i] = row.order.index[i];
    }
    sizes.push_back(static_cast<std::uint32_t>(rows_[r].length));
    sizes.push_back(static_cast<std::uint32_t>(rows_[r].counts.size()));
    std::copy(rows_[r].counts.begin(), rows_[r].counts.end(), &counts[r * point_stride_]);
  }
  weights_ = work_.in(weights);
  alphas_ = work_.in(alphas);
  ranks_ = work_.in(ranks);
  order_ = work_.in(order);
  sizes_ = work_.in(sizes);
  counts_ = work_.in(counts);
}

// ||s||^2 after every rank, from what it grows by.
void DevicePass::contexts(std::span<const AskedRow> asked) {
  const auto own = work_.room<double>(rows_.size() * row_stride_);
  work_.launch(device::own_products_text, "own_products", rows_.size() << bits_,
               {tokens_.products_, weights_, order_, sizes_, own, std::uint64_t{tokens_.stride_},
                std::uint64_t{row_stride_}, bits_});
  const std::vector<double> products = work_.out(own, rows_.size() * row_stride_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    PassingRow& row = rows_[r];
    if (row.length == 0) continue;
    Context<double> context(row.state, tokens_.facts_, asked[row.number].points.tolerance);
    row.S.push_back({0, 0});
    for (std::size_t rank = 0; rank < row.length; ++rank) {
      if (rank % block_ranks == 0) context.refresh(rank);
      row.S.push_back(context.add(rank, products[r * row_stride_ + rank]));
    }
    row.passed.whole = context.squared();
    row.passed.cancellation = context.cancellation();
  }
}

void DevicePass::rest(std::span<const AskedRow> asked) {
  std::vector<double> with(rows_.size() * point_stride_ * asked_numbers);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t p = 0; p < rows_[r].counts.size(); ++p) {
      PassingRow& row = rows_[r];
      if (row.length == 0) continue;
      const std::size_t N = row.counts[p];
      PassedPoint& point = row.passed.points[row.zeros + p];
      point.S = row.S[N];
      point.rest.N = N;
      point.rest.S = point.S.value;
      point.rest.least = square_error(row.state, tokens_.facts_, N, point.S) * (1 + 0x1p-20);
      const Widths<double> widths = excess_widths(row.state, tokens_.facts_, N, asked[row.number].token_error);
      const double numbers[] = {point.rest.S, point.rest.least, widths.relative, widths.slope, widths.floor};
      std::copy(std::begin(numbers), std::end(numbers), &with[(r * point_stride_ + p) * asked_numbers]);
    }
  const auto answered = work_.room<double>(answers(rest_numbers)),
             products = work_.room<double>(rows_.size() * row_stride_);
  std::vector<device::Argument> arguments = walk_arguments(with, answered);
  arguments.emplace_back(products);
  work_.launch(device::rest_text, "rest", rows_.size() << bits_, std::move(arguments));
  const std::vector<double> found = work_.out(answered, answers(rest_numbers)),
                            last = work_.out(products, rows_.size() * row_stride_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    PassingRow& row = rows_[r];
    std::copy_n(last.begin() + static_cast<std::ptrdiff_t>(r * row_stride_), row.length,
                row.state.columns.product.get());
    for (std::size_t p = 0; p < row.counts.size(); ++p) {
      PassedPoint& point = row.passed.points[row.zeros + p];
      point.range = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
      for (std::size_t tile = 0; tile < tiles_of(row.length); ++tile) {
        const double* of = &found[answer(r, tile, p, rest_numbers)];
        point.rest.roots += of[0];
        point.rest.inverses += of[1];
        point.rest.reach = std::max(point.rest.reach, of[2]);
        point.range = {std::min(point.range.least, of[3]), std::min(point.range.most, of[4])};
      }
      point.rest.inverses *= 1 + 0x1p-20;  // a few roundings of each, and of a sum of fewer than 2^30
    }
  }
}

void DevicePass::within(std::span<const AskedRow> asked) {
  std::vector<double> with(rows_.size() * point_stride_ * asked_numbers);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t p = 0; p < rows_[r].counts.size(); ++p) {
      const PassingRow& row = rows_[r];
      if (row.length == 0) continue;
      const PassedPoint& point = row.passed.points[row.zeros + p];
      const Widths<double> widths =
          excess_widths(row.state, tokens_.facts_, row.counts[p], asked[row.number].token_error);
      const double numbers[] = {point.range.least, point.range.most, widths.relative, widths.slope, widths.floor};
      std::copy(std::begin(numbers), std::end(numbers), &with[(r * point_stride_ + p) * asked_numbers]);
    }
  const auto answered = work_.room<double>(answers(within_numbers));
  work_.launch(device::within_text, "within", rows_.size() << bits_, walk_arguments(with, answered));
  const std::vector<double> found = work_.out(answered, answers(within_numbers));
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t p = 0; p < rows_[r].counts.size(); ++p)
      for (std::size_t tile = 0; tile < tiles_of(rows_[r].length); ++tile) {
        const double* of = &found[answer(r, tile, p, within_numbers)];
        Count& count = rows_[r].passed.points[rows_[r].zeros + p].within;
        count = {count.least + static_cast<std::size_t>(of[0]), count.most + static_cast<std::size_t>(of[1])};
      }
}

Result<Done> DeviceTokens::curves(std::span<const AskedRow> rows, const Take& take, BatchLimits most) const {
  const std::size_t largest = device_->most_allocated();
  for (const AskedRow& row : rows) {
    const std::size_t bytes = taken(1, row.weights.size(), points_of(row)).buffer;
    if (bytes > largest)
      return Error{"a row of " + std::to_string(row.weights.size()) + " tokens at " + std::to_string(points_of(row)) +
                   " points needs " + std::to_string(bytes) + " bytes at once, and the device gives " +
                   std::to_string(largest)};
  }
  for (std::size_t first = 0, next = 0; first < rows.size(); first = next) {
    DevicePass pass(*this);
    std::size_t length = 0, points = 0;
    for (; next < rows.size(); ++next) {
      length = std::max(length, rows[next].weights.size()), points = std::max(points, points_of(rows[next]));
      const Taken all = taken(next - first + 1, length, points);
      if (next > first && (all.host > most.host || all.device > most.device || all.buffer > largest)) break;
      pass.add(rows[next], next);
    }
    const Result<Done> done = pass.run(rows);
    if (!done) return done;
    pass.finish(rows, take);
  }
  return Done{};
}

}  // namespace attncert::bounds
