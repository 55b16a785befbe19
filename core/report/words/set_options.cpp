#include "core/report/words/set_options.h"

#include <fmt/format.h>

#include "core/plan/sweep/shell_words.h"
#include "core/report/words/text_layout.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {

std::vector<std::string> set_options(const Point& point) {
  std::vector<std::string> out;
  for (const Assignment& a : point)
    if (!a.text.empty())
      out.push_back(fmt::format("--set {}={}", dotted_name(a.pointer), shell_word(printable(a.text))));
  return out;
}

}  // namespace stallcast
