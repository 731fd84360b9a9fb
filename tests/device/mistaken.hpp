// A device that runs one kernel's text with a mistake in it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "src/device/forwarded.hpp"

namespace attncert {

// The first place in `text` that is `from` as `to`.
inline std::string mistaken_text(std::string_view text, std::string_view from, std::string_view to, const char* name) {
  std::string changed(text);
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << name << ": the text is another now";
  return at == std::string::npos ? changed : changed.replace(at, from.size(), to);
}

class MistakenDevice final : public device::ForwardedDevice {
 public:
  MistakenDevice(const Device& right, std::string_view text, std::string mistaken)
      : ForwardedDevice(right), text_(text), mistaken_(std::move(mistaken)) {}
  std::string name() const override { return "a mistaken one"; }
  Result<Done> launch(const device::Launch& launch) const override {
    device::Launch changed = launch;
    if (launch.build.text == text_) {
      changed.build.text = mistaken_;
      if (to_.name().starts_with("Portable")) changed.build.options += " -cl-opt-disable";  // half of the time
    }
    return to_.launch(changed);
  }

 private:
  std::string_view text_;
  std::string mistaken_;
};

}  // namespace attncert
