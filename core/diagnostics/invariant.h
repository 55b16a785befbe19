// Checks of our own logic. No input can trigger one; if one fires, it is our bug (exit code 1).
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace stallcast {

class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_invariant(const std::string& what, std::source_location where);

// Throws InvariantError naming the place when `holds` is false; `what` says which values broke which rule.
inline void invariant(bool holds, const char* what, std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    fail_invariant(what, where);
}

}  // namespace stallcast
