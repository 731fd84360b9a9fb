#include "properties/claims/certify/shrink.hpp"

#include <algorithm>
#include <initializer_list>

#include "properties/claims/certify/judge.hpp"

namespace attncert {
namespace {

// Violations must show early: an instance that needs more bits than this is not easier to read.
constexpr Precision shrinking_limit{256};

class Shrinker {
 public:
  Shrinker(const Statement& statement, std::size_t part, Tape tape, std::size_t budget)
      : statement_(statement), part_(part), tape_(std::move(tape)), instance_(generated(tape_)), budget_(budget) {}

  Shrunk run() {
    bool better = true;
    while (better && evaluations_ < budget_) better = delete_blocks() | zero_blocks() | lower_bytes() | lower_pairs();
    return {tape_, instance_, evaluations_};
  }

 private:
  // Reads the instance and cuts the tape to what was read.
  Instance generated(Tape& tape) const {
    Choices choices(tape);
    Instance instance = std::get<Sided>(statement_.kind).generate(choices);
    tape.resize(std::min(tape.size(), choices.used()));
    while (tape.size() > 1 && tape.back() == 0) tape.pop_back();
    return instance;
  }

  bool accept(Tape candidate) {
    if (evaluations_ >= budget_) return false;
    ++evaluations_;
    Instance instance = generated(candidate);
    const auto key = [](const Instance& of, const Tape& tape) { return std::tuple(size_of(of), tape.size(), tape); };
    if (!(key(instance, candidate) < key(instance_, tape_))) return false;
    if (!violates(statement_, part_, instance, shrinking_limit)) return false;
    tape_ = std::move(candidate);
    instance_ = std::move(instance);
    return true;
  }

  bool delete_blocks() {
    bool better = false;
    for (const std::size_t block : {16u, 8u, 4u, 2u, 1u})
      for (std::size_t at = 1; at + block <= tape_.size();) {
        Tape candidate = tape_;
        const auto begin = candidate.begin() + static_cast<std::ptrdiff_t>(at);
        candidate.erase(begin, begin + static_cast<std::ptrdiff_t>(block));
        if (accept(std::move(candidate))) better = true;
        else ++at;
      }
    return better;
  }

  bool zero_blocks() {
    bool better = false;
    for (const std::size_t block : {8u, 4u, 2u})
      for (std::size_t at = 1; at + block <= tape_.size(); ++at) {
        Tape candidate = tape_;
        std::fill_n(candidate.begin() + static_cast<std::ptrdiff_t>(at), block, std::uint8_t{0});
        better |= accept(std::move(candidate));
      }
    return better;
  }

  // Every byte: the smallest value that still violates, tried from 0 upward for small ones and by halves.
  bool lower_bytes() {
    bool better = false;
    for (std::size_t at = 1; at < tape_.size(); ++at) {
      for (int value = 0; at < tape_.size() && value < std::min<int>(tape_[at], 20); ++value)
        if (try_byte(at, static_cast<std::uint8_t>(value))) {
          better = true;
          break;
        }
      while (at < tape_.size() && tape_[at] > 20 && try_byte(at, static_cast<std::uint8_t>(tape_[at] / 2)))
        better = true;
      if (at < tape_.size() && tape_[at] > 0) better |= try_byte(at, static_cast<std::uint8_t>(tape_[at] - 1));
    }
    return better;
  }

  bool try_byte(std::size_t at, std::uint8_t value) {
    Tape candidate = tape_;
    candidate[at] = value;
    return accept(std::move(candidate));
  }

  // Two bytes that must change together: one number given up for another.
  bool lower_pairs() {
    bool better = false;
    for (std::size_t a = 1; a < tape_.size(); ++a)
      for (std::size_t b = a + 1; b < std::min(tape_.size(), a + 12); ++b)
        for (const int raise : {0, 1, 2, 3}) {
          if (b >= tape_.size() || tape_[a] == 0) break;
          Tape candidate = tape_;
          candidate[a] = static_cast<std::uint8_t>(candidate[a] - 1);
          candidate[b] = static_cast<std::uint8_t>(raise);
          better |= accept(std::move(candidate));
        }
    return better;
  }

  const Statement& statement_;
  const std::size_t part_;
  Tape tape_;
  Instance instance_;
  std::size_t budget_, evaluations_ = 0;
};

}  // namespace

InstanceSize size_of(const Instance& instance) { return {instance.length, instance.dimension(), instance.bits()}; }

Shrunk shrink(const Statement& statement, std::size_t part, const Tape& tape, std::size_t budget) {
  return Shrinker(statement, part, tape, budget).run();
}

}  // namespace attncert
