// The program of libFuzzer: fuzz_reader --reader=NAME [its own arguments].
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "tests/fuzz/readers.h"
#include "tests/fuzz/word_mutation.h"

namespace {

const stallcast::fuzz::Reader* chosen = nullptr;  // libFuzzer's functions take no argument of ours

}  // namespace

// libFuzzer passes over arguments with two dashes.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view kOption = "--reader=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (argument.starts_with(kOption)) chosen = stallcast::fuzz::find_reader(argument.substr(kOption.size()));
  }
  if (chosen != nullptr) {
    stallcast::fuzz::read_as(*chosen, "");  // loads what is loaded once, which is no input's time
    return 0;
  }
  std::cerr << "--reader=NAME, one of:\n";
  for (const auto& reader : stallcast::fuzz::readers()) std::cerr << reader.name << '\n';
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stallcast::fuzz::read_as(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// Every other mutation is by words; the rest are libFuzzer's own.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string text = stallcast::fuzz::with_another_word({reinterpret_cast<const char*>(data), size}, seed);
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
