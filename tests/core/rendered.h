// Findings as one text, as a person would read them.
#pragma once

#include <string>

#include "core/diagnostics/finding.h"

namespace stallcast {

inline std::string rendered(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings.list()) text += render_finding(finding) + "\n";
  return text;
}

}  // namespace stallcast
