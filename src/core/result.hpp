// Result<T>: a value, or one line that says what is wrong, where, and the remedy. For files, arguments and devices.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "src/core/assert.hpp"

namespace attncert {

struct Error {
  std::string message;  // "<where>: <what is wrong>; <the remedy>", one line, no trailing full stop or newline
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const noexcept { return state_.index() == 0; }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    ATTNCERT_ASSERT(state_.index() == 1);
    return *std::get_if<1>(&state_);
  }

 private:
  T& value() {
    ATTNCERT_ASSERT(state_.index() == 0);
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    ATTNCERT_ASSERT(state_.index() == 0);
    return *std::get_if<0>(&state_);
  }
  std::variant<T, Error> state_;
};

// Moves the value into `place`, or notes the error: a chain of them, each taken only where the one before it was, stops
// at the first.
template <class T>
bool take(Result<T> result, T& place, Error& error) {
  if (result) place = *std::move(result);
  else error = result.error();
  return error.message.empty();
}

struct Done {};  // Result<Done>: it worked, and there is nothing to return

}  // namespace attncert
