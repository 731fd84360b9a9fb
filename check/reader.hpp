// Reading a file that may be hostile. Whatever the reader does not know it refuses; it is the checker's own.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "check/ball.hpp"

namespace attncert::check {

using Json = nlohmann::json;
using Rationals = std::vector<Rational>;

// Why a text is no evidence.
struct Malformed {
  std::string why;
};
inline void expect(bool condition, const std::string& why) {
  if (!condition) throw Malformed{why};
}

Json parsed(const std::string& text);
std::string text_of_file(const std::string& path);  // no more than parsed() takes; "" of what cannot be read

bool is_object(const Json& json);
std::vector<const Json*> items(const Json& array);
std::string text(const Json& json);
std::size_t whole(const Json& json, std::uint64_t least, std::uint64_t most);
Rational number(const Json& json);  // "p" or "p/q"
Rationals numbers(const Json& array);
std::vector<std::string> texts(const Json& array);

// An object whose keys are asked for; done() refuses those that nobody asked for.
class Members {
 public:
  Members(const Json& object, std::string what);
  const Json* find(const std::string& key);
  const Json& at(const std::string& key);
  std::vector<std::string> keys() const;
  void done() const;

 private:
  const Json& object_;
  std::string what_;
  std::size_t asked_ = 0;
};

}  // namespace attncert::check
