// Every reader of files that somebody else may have written, called as the program calls it: by the fuzzer (fuzzer.cpp)
// and by the replay of its corpus in the ordinary tests (corpus_test.cpp).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stallcast::fuzz {

// A reader did what it must not, whatever it was given.
class Broken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Reader {
  const char* name;                        // its folder in corpus/
  void (*read)(std::string_view content);  // **Errors** as read_as()
};

// In the order of their names.
const std::vector<Reader>& readers();
const Reader* find_reader(std::string_view name);

// Reads `content` as a file and checks what came of it: a value, or findings of which one is an error and all can be
// shown on a terminal, or WorldError. What was read goes on to what the program does with it next, and what is written
// again reads back as the same.
// **Errors** Broken, or whatever else the reader lets out, where it does otherwise.
void read_as(const Reader& reader, std::string_view content);

// The readers by what they read; each list is in a source of its own.
std::vector<Reader> scenario_readers();
std::vector<Reader> catalogue_readers();
std::vector<Reader> import_readers();
std::vector<Reader> measurement_readers();
std::vector<Reader> run_readers();
std::vector<Reader> sweep_readers();
std::vector<Reader> store_readers();

}  // namespace stallcast::fuzz
