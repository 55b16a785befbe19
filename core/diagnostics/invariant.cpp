#include "core/diagnostics/invariant.h"

#include <fmt/format.h>

namespace stallcast {

void fail_invariant(const std::string& what, std::source_location where) {
  throw InvariantError(
      fmt::format("{}:{}: in {}: invariant broken: {}", where.file_name(), where.line(), where.function_name(), what));
}

}  // namespace stallcast
