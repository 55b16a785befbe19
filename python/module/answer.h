// What a command found out, as Python holds it: JSON, text, CSV and charts are made when somebody asks for them.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/report/charts/chart.h"
#include "core/report/words/text_layout.h"

namespace stallcast::python {

inline constexpr TextStyle kPlain = {};  // of text: no colours

struct Answer {
  std::function<std::string()> json;                // what the command prints with --format json, byte for byte
  std::function<std::string()> csv;                 // with --format csv; empty where a command has none
  std::function<std::string()> text;                // with --format table
  std::function<std::vector<Chart>()> charts;       // empty where there are none
  std::function<std::string(std::string)> special;  // by name: "fitted", "scenario", "html"; "" for an unknown name
  Findings warnings;
  double core_s = 0.0;  // from start to end of the work, without what Python adds
};

void bind_answer(pybind11::module_& module);

}  // namespace stallcast::python
