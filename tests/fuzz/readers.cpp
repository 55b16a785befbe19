#include "tests/fuzz/readers.h"

#include <algorithm>
#include <iterator>

#include "core/diagnostics/finding.h"

namespace stallcast::fuzz {

const std::vector<Reader>& readers() {
  static const std::vector<Reader> kReaders = [] {
    std::vector<Reader> all;
    for (const auto& some : {scenario_readers(), catalogue_readers(), import_readers(), measurement_readers(),
                             run_readers(), sweep_readers(), store_readers()})
      all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end(),
              [](const Reader& a, const Reader& b) { return std::string_view(a.name) < b.name; });
    return all;
  }();
  return kReaders;
}

const Reader* find_reader(std::string_view name) {
  const auto found =
      std::find_if(readers().begin(), readers().end(), [&](const Reader& reader) { return name == reader.name; });
  return found == readers().end() ? nullptr : &*found;
}

void read_as(const Reader& reader, std::string_view content) {
  try {
    reader.read(content);
  } catch (const WorldError&) {
    return;  // says so itself: no file of this name, a folder in its place
  }
}

}  // namespace stallcast::fuzz
