// Values one after the other as bytes, to be looked up by.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stallcast {

// Two keys that were made by the same calls are equal where their values are, bit for bit, and only there.
class ByteKey {
 public:
  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void add(Number value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    bytes_.append(bytes, sizeof(value));
  }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  template <class Number>
  void add(const std::vector<Number>& numbers) {
    add(numbers.size());
    for (const Number& one : numbers) add(one);
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace stallcast
