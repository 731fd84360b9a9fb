// A program of roundings that an adversary chooses: every operation may err by as much as its class allows. The greedy
// one has all err in the direction that moves one result farthest, which is that of the result's derivative by each
// operation, found backwards through the program: a lower estimate of the worst. The random one draws each error.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/attention/rounding_class.hpp"
#include "src/core/mixer.hpp"

namespace attncert {

class Adversary {
 public:
  using Id = std::size_t;
  // Of two: the larger; the larger magnitude; the first, which errs by the magnitude of the second.
  enum class Operation {
    number,
    rounded,
    add,
    subtract,
    multiply,
    divide,
    exponential,
    logarithm,
    tanh,
    larger,
    larger_magnitude,
    cut
  };

  // An error may be `relative` (plus `per_unit` times the argument's magnitude) and `absolute`.
  struct Error {
    double relative = reference::f32_unit, absolute = 0, per_unit = 0;
    double range = std::numeric_limits<double>::infinity();  // below it an exponential is anything in [0, 2 e^-range]
    int digits = 0;  // none where the result has no more binary digits: rounding to nearest, from operands as they are
  };

  Id number(double value, double relative = 0) { return push(Operation::number, 0, 0, {relative}, value); }
  Id number(double value, Error error) { return push(Operation::number, 0, 0, error, value); }
  Id apply(Operation operation, Id a, Id b, Error error) { return push(operation, a, b, error, 0); }
  Id larger(Id a, Id b) { return push(Operation::larger, a, b, {}, 0); }
  double value(Id id) const { return nodes_[id].value; }  // without an error, until there was one

  // The target's value when all errors push it up (direction 1) or down (-1).
  double worst(Id target, double direction) {
    for (Node& node : nodes_) node.sign = 0;
    evaluate();
    constexpr int rounds = 3;  // directions may change with the values
    for (int round = 0; round < rounds; ++round) {
      differentiate(target);
      for (Node& node : nodes_) node.sign = direction * (node.adjoint > 0 ? 1 : node.adjoint < 0 ? -1 : 0);
      evaluate();
    }
    return nodes_[target].value;
  }

  // All values, of the draw of this number: in every second one each error is as large as it may be, of either sign, in
  // the others anything up to that.
  void draw(std::uint64_t number) {
    std::uint64_t key = mixed(number);
    for (Node& node : nodes_) {
      key = mixed(key + 1);
      const double any = static_cast<double>(key >> 11) * 0x1p-52 - 1;  // 53 bits in [-1, 1)
      node.sign = number % 2 == 0 ? (any < 0 ? -1 : 1) : any;
    }
    evaluate();
  }

 private:
  struct Node {
    Operation operation;
    Id a, b;
    Error error;
    double given, value = 0, adjoint = 0, sign = 0;
  };

  Id push(Operation operation, Id a, Id b, Error error, double given) {
    nodes_.push_back({operation, a, b, error, given});
    nodes_.back().value = result(nodes_.back(), nodes_[a].value, nodes_[b].value);
    return nodes_.size() - 1;
  }

  static double result(const Node& node, double a, double b) {
    switch (node.operation) {
      case Operation::number:
        return node.given;
      case Operation::rounded:
        return a;
      case Operation::add:
        return a + b;
      case Operation::subtract:
        return a - b;
      case Operation::multiply:
        return a * b;
      case Operation::divide:
        return a / b;
      case Operation::exponential:
        return std::exp(a);
      case Operation::logarithm:
        return std::log(a);
      case Operation::tanh:
        return std::tanh(a);
      case Operation::larger:
        return std::fmax(a, b);
      case Operation::larger_magnitude:
        return std::fmax(std::fabs(a), std::fabs(b));
      case Operation::cut:
        return a;
    }
    return 0;
  }

  static bool has_digits(double value, int digits) {
    int exponent = 0;
    const double scaled = std::ldexp(std::frexp(value, &exponent), digits);
    return digits != 0 && scaled == std::nearbyint(scaled);
  }

  // What no arithmetic rounds: e^0, a product with 1 or 0, a sum with 0, a maximum, a format's 0.
  static bool is_exact(const Node& node, double a, double b) {
    if (has_digits(node.value, node.error.digits)) return true;
    switch (node.operation) {
      case Operation::number:
        return node.given == 0;
      case Operation::rounded:
        return a == 0;
      case Operation::add:
        return a == 0 || b == 0;
      case Operation::subtract:
        return b == 0 || a == b;
      case Operation::multiply:
        return a == 0 || b == 0 || a == 1 || b == 1;
      case Operation::divide:
        return a == 0 || b == 1;
      case Operation::exponential:
        return a == 0;
      case Operation::larger:
      case Operation::larger_magnitude:
        return true;
      default:
        return false;
    }
  }

  static double largest_error(const Node& node, double a, double b) {
    const double size = node.operation == Operation::cut ? b : node.value;
    return (node.error.relative + node.error.per_unit * std::fabs(a)) * std::fabs(size) + node.error.absolute;
  }

  // The program runs in double: errors are kept smaller by 2^-20 of themselves, 2^-44 for f32, which is more than
  // double's own roundings of the operation and of its error (functions included: a few 2^-53), so each operation stays
  // within its class.
  void evaluate() {
    for (Node& node : nodes_) {
      const double a = nodes_[node.a].value, b = nodes_[node.b].value, sign = (1 - 0x1p-20) * node.sign;
      node.value = result(node, a, b);
      if (is_exact(node, a, b)) continue;
      if (node.operation == Operation::exponential && a < -node.error.range && sign != 0)
        node.value = (1 + sign) * std::exp(-node.error.range);
      else node.value += sign * largest_error(node, a, b);
    }
  }

  void differentiate(Id target) {
    for (Node& node : nodes_) node.adjoint = 0;
    nodes_[target].adjoint = 1;
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      const Node& node = nodes_[n];
      const double a = nodes_[node.a].value, b = nodes_[node.b].value, d = node.adjoint;
      double by_a = 0, by_b = 0;
      switch (node.operation) {
        case Operation::number:
          continue;
        case Operation::rounded:
        case Operation::cut:  // an error of an error is left out
          by_a = 1;
          break;
        case Operation::add:
          by_a = by_b = 1;
          break;
        case Operation::subtract:
          by_a = 1, by_b = -1;
          break;
        case Operation::multiply:
          by_a = b, by_b = a;
          break;
        case Operation::divide:
          by_a = 1 / b, by_b = -a / (b * b);
          break;
        case Operation::exponential:
          by_a = node.value;
          break;
        case Operation::logarithm:
          by_a = 1 / a;
          break;
        case Operation::tanh:
          by_a = 1 - std::tanh(a) * std::tanh(a);
          break;
        case Operation::larger:
          (a >= b ? by_a : by_b) = 1;
          break;
        case Operation::larger_magnitude:
          break;
      }
      nodes_[node.a].adjoint += by_a * d;
      if (by_b != 0) nodes_[node.b].adjoint += by_b * d;
    }
  }

  std::vector<Node> nodes_;
};

}  // namespace attncert
