// A scenario as Python holds it, and what every command makes of it first.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "core/answers/questions/overridden.h"
#include "core/catalogue/catalogue.h"
#include "core/plan/rules/rules.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::python {

// A catalogue as Python holds it. Never changed once it is read, so that threads share it.
struct CatalogueHandle {
  std::shared_ptr<const Catalogue> shared;
  Findings warnings;
};

// What a person gave: a file or a document, settings over it. Copied before work starts on another thread.
struct Job {
  ScenarioFile file;

  // **Errors** InputProblem with everything that is wrong, names that are not in the catalogue included; WorldError
  static Job load(const std::string& path, const Catalogue& catalogue);
  static Job parse(const std::string& json, const std::string& name, const Catalogue& catalogue);

  // As a key of a document: {"loader": {"num_workers": 8}}. Nothing is changed where anything in it is wrong.
  void set_document(const std::string& json);
  // The same, after everything of the group was taken away.
  void replace_group(const std::string& group, const std::string& json);
  // As --set does: "loader.num_workers=8".
  void set_text(const std::string& assignment);
  // JSON of the value of a field, by its pointer.
  std::string value(const std::string& pointer) const;
  // JSON of all that was given.
  std::string given() const;
};

// With the settings in it and everything filled in.
struct PreparedJob {
  ScenarioFile file;
  ResolvedScenario resolved;
  Findings warnings;
};

// **Errors** InputProblem, with the same findings as the command line has
PreparedJob prepare(ScenarioFile file, const Settings& settings, const Catalogue& catalogue);

// The same for what is for one training job only.
PreparedJob prepare_training(ScenarioFile file, const Settings& settings, const Catalogue& catalogue,
                             const std::string& command);

// Without resolving it: for commands that fill in each of many configurations by itself.
ScenarioFile with_settings(ScenarioFile file, const Settings& settings, const Catalogue& catalogue, Findings& warnings);

std::vector<Rule> rules_of(const Catalogue& catalogue, Findings& warnings);

void bind_job(pybind11::module_& module);

}  // namespace stallcast::python
