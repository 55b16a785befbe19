#include "python/module/job.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/diagnostics/json_input.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/resolve/resolve.h"
#include "python/module/problems.h"

namespace stallcast::python {
namespace py = pybind11;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kName = "Scenario";  // what findings call a document that Python made

Json read_json(const std::string& json, const std::string& name) {
  Findings ignored;
  return value_or_throw(parse_json_text(json, name), ignored);
}

std::string_view kind_name(FieldKind kind) {
  switch (kind) {
    case FieldKind::kText:
      return "text";
    case FieldKind::kInteger:
      return "integer";
    case FieldKind::kNumber:
      return "number";
    case FieldKind::kBoolean:
      return "boolean";
    case FieldKind::kEnum:
      return "enum";
    case FieldKind::kQuantity:
      return "quantity";
    case FieldKind::kDistribution:
      return "distribution";
    case FieldKind::kCurve:
      return "curve";
    case FieldKind::kLinearCost:
      return "linear_cost";
    case FieldKind::kTextList:
      return "text_list";
  }
  return "";
}

// What was read, or everything that is wrong with it. What is only doubtful is told when the scenario is resolved.
ScenarioFile checked(Loaded<ScenarioFile> loaded, const Catalogue& catalogue) {
  if (loaded.ok()) return std::move(*loaded.value);
  if (loaded.value) add_names_not_found(*loaded.value, catalogue, loaded.findings);
  throw InputProblem(std::move(loaded.findings));
}

// The rows of the field table, for whoever makes classes, documentation and stubs of them.
py::list fields() {
  py::list out;
  const Scenario defaults;
  for (const Field& field : field_table()) {
    py::dict one;
    one["pointer"] = field.pointer;
    one["group"] = field.group;
    one["name"] = field.name();
    one["kind"] = std::string(kind_name(field.kind));
    one["is_fraction"] = field.dimension == Dimension::kFraction;
    one["words"] = field.words;
    one["allowed"] = allowed_values(field);
    one["default"] = value_to_json(field, field.get(defaults)).dump();
    one["help"] = field.help;
    out.append(one);
  }
  return out;
}

}  // namespace

Job Job::load(const std::string& path, const Catalogue& catalogue) {
  return Job{checked(load_scenario(path), catalogue)};
}

Job Job::parse(const std::string& json, const std::string& name, const Catalogue& catalogue) {
  return Job{checked(parse_scenario(read_json(json, name), name), catalogue)};
}

void Job::set_document(const std::string& json) {
  Findings ignored;
  const ScenarioFile changes = value_or_throw(parse_scenario(read_json(json, kName), kName), ignored);
  for (const std::string& pointer : changes.given) {
    const Field* field = find_field(pointer);
    if (field == nullptr) continue;  // "$schema"
    field->set(file.scenario, field->get(changes.scenario));
    file.overridden.insert(pointer);
  }
}

void Job::replace_group(const std::string& group, const std::string& json) {
  Job changed = *this;
  const Scenario defaults;
  for (const Field& field : field_table()) {
    if (field.group != group) continue;
    field.set(changed.file.scenario, field.get(defaults));
    changed.file.given.erase(field.pointer);
    changed.file.overridden.erase(field.pointer);
  }
  changed.set_document(json);
  *this = std::move(changed);
}

void Job::set_text(const std::string& assignment) {
  Findings findings;
  ScenarioFile changed = file;
  apply_override(changed, assignment, findings);
  if (findings.has_errors()) throw InputProblem(std::move(findings));
  file = std::move(changed);
}

std::string Job::value(const std::string& pointer) const {
  const Field* field = find_field(pointer);
  if (field == nullptr) throw py::key_error(pointer);
  return value_to_json(*field, field->get(file.scenario)).dump();
}

std::string Job::given() const {
  const std::set<std::string> all = file.given_anywhere();
  Json out = Json::object();
  for (const Field& field : field_table())
    if (all.contains(field.pointer))
      out[Json::json_pointer(field.pointer)] = value_to_json(field, field.get(file.scenario));
  return out.dump();
}

ScenarioFile with_settings(ScenarioFile file, const Settings& settings, const Catalogue& catalogue,
                           Findings& warnings) {
  Findings findings;
  apply_settings(file, settings, findings);
  if (findings.has_errors()) {
    add_names_not_found(file, catalogue, findings);
    throw InputProblem(std::move(findings));
  }
  warnings.append(findings);
  return file;
}

PreparedJob prepare(ScenarioFile file, const Settings& settings, const Catalogue& catalogue) {
  PreparedJob out;
  out.file = with_settings(std::move(file), settings, catalogue, out.warnings);
  out.resolved = value_or_throw(resolve(out.file, catalogue), out.warnings);
  return out;
}

PreparedJob prepare_training(ScenarioFile file, const Settings& settings, const Catalogue& catalogue,
                             const std::string& command) {
  PreparedJob out = prepare(std::move(file), settings, catalogue);
  const std::string other = other_than_one_training_job(out.resolved);
  if (!other.empty())
    throw InputProblem({Severity::kError, "one_training_job", command, "", other, "one training job",
                        "simulate answers without it", ""});
  return out;
}

std::vector<Rule> rules_of(const Catalogue& catalogue, Findings& warnings) {
  return value_or_throw(load_rules(catalogue.identity.directory), warnings);
}

void bind_job(py::module_& module) {
  module.def("fields", &fields);
  py::class_<Job>(module, "Job")
      .def_static("load", [](const std::string& path,
                             const CatalogueHandle& catalogue) { return Job::load(path, *catalogue.shared); })
      .def_static("parse", [](const std::string& json, const std::string& name,
                              const CatalogueHandle& catalogue) { return Job::parse(json, name, *catalogue.shared); })
      .def("copy", [](const Job& job) { return Job(job); })
      .def("set_document", &Job::set_document)
      .def("replace_group", &Job::replace_group)
      .def("set_text", &Job::set_text)
      .def("value", &Job::value)
      .def("given", &Job::given)
      .def_property_readonly("file", [](const Job& job) { return job.file.file; })
      .def("resolved", [](const Job& job, const CatalogueHandle& handle) {
        const ScenarioFile file = job.file;
        const std::shared_ptr<const Catalogue> catalogue = handle.shared;
        const py::gil_scoped_release others_run;
        const PreparedJob prepared = prepare(file, {}, *catalogue);
        return scenario_to_json(prepared.resolved.scenario).dump();
      });
}

}  // namespace stallcast::python
