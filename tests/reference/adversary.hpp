// A program of roundings that an adversary chooses: every operation may err by as much as its class allows, in the
// direction that moves one result farthest. Directions follow the result's derivative by each operation, found
// backwards through the program, so what is reached is a lower estimate of the worst.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "reference/attention/rounding_class.hpp"

namespace attncert {

class Adversary {
 public:
  using Id = std::size_t;
  enum class Operation { number, rounded, add, subtract, multiply, divide, exponential, logarithm, tanh, larger };

  // An error may be `relative` (plus `per_unit` times the argument's magnitude) and `absolute`.
  struct Error {
    double relative = reference::f32_unit, absolute = 0, per_unit = 0;
    bool float_exact = false;  // none where the result is a float: rounding to nearest, from operands as they are
  };

  Id number(double value, double relative = 0) { return push(Operation::number, 0, 0, {relative}, value); }
  Id apply(Operation operation, Id a, Id b, Error error) { return push(operation, a, b, error, 0); }
  Id apply(Operation operation, Id a, Id b) { return push(operation, a, b, {}, 0); }

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

 private:
  struct Node {
    Operation operation;
    Id a, b;
    Error error;
    double given, value = 0, adjoint = 0, sign = 0;
  };

  Id push(Operation operation, Id a, Id b, Error error, double given) {
    nodes_.push_back({operation, a, b, error, given});
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
    }
    return 0;
  }

  // What no arithmetic rounds: e^0, a product with 1 or 0, a sum with 0, a maximum.
  static bool is_exact(const Node& node, double a, double b) {
    if (node.error.float_exact && static_cast<double>(static_cast<float>(node.value)) == node.value) return true;
    switch (node.operation) {
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
        return true;
      default:
        return false;
    }
  }

  // The program runs in double: errors are kept smaller by 2^-20 of themselves, 2^-44 for f32, which is more than
  // double's own roundings of the operation and of its error (functions included: a few 2^-53), so each operation stays
  // within its class.
  void evaluate() {
    for (Node& node : nodes_) {
      const double a = nodes_[node.a].value, b = nodes_[node.b].value;
      node.value = result(node, a, b);
      if (is_exact(node, a, b)) continue;
      const double size = (node.error.relative + node.error.per_unit * std::fabs(a)) * std::fabs(node.value);
      node.value += node.sign * (1 - 0x1p-20) * (size + node.error.absolute);
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
      }
      nodes_[node.a].adjoint += by_a * d;
      if (by_b != 0) nodes_[node.b].adjoint += by_b * d;
    }
  }

  std::vector<Node> nodes_;
};

}  // namespace attncert
