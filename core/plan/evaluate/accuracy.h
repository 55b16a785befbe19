// How far predictions were from measurements so far, as data with the command that says it again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {

// One figure of models/validation/accuracy.json. Errors are absolute, in `unit`.
struct AccuracyFigure {
  std::string what;  // "steady-state GPU utilization of 149 real DataLoader runs"
  std::string unit;  // "points", "%"
  std::optional<double> median, p90, worst;
  std::string note;     // what it does not say
  std::string command;  // that computes it again
};

struct Accuracy {
  std::string measured;  // date, "2026-11-22"
  std::vector<AccuracyFigure> figures;
};

// **Errors** WorldError when the file cannot be read; findings "wrong_type" and "missing_key" for what it does wrong.
Loaded<Accuracy> load_accuracy(const std::filesystem::path& models);

}  // namespace stallcast
