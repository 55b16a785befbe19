#include "python/module/catalogue_binding.h"

#include <pybind11/stl.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/answers/json_text.h"
#include "core/catalogue/catalogue.h"
#include "core/catalogue/catalogue_check.h"
#include "core/catalogue/catalogue_text.h"
#include "python/module/job.h"
#include "python/module/problems.h"

namespace stallcast::python {
namespace py = pybind11;

namespace {

// `directory` is that of the records; "" = where the library finds them. Overlays of $STALLCAST_CATALOGUE come first.
CatalogueHandle load_records(const std::string& directory, const std::vector<std::string>& overlays) {
  const py::gil_scoped_release others_run;
  std::vector<std::filesystem::path> all = environment_overlays();
  all.insert(all.end(), overlays.begin(), overlays.end());
  CatalogueHandle out;
  const std::filesystem::path records = directory.empty() ? find_models_directory() : std::filesystem::path(directory);
  out.shared = std::make_shared<const Catalogue>(value_or_throw(load_catalogue(records, all), out.warnings));
  return out;
}

std::string shown_record(const CatalogueHandle& catalogue, const std::string& name) {
  Findings ignored;
  return value_or_throw(show_record(*catalogue.shared, name), ignored);
}

}  // namespace

void bind_catalogue(py::module_& module) {
  module.def("record_kinds", &record_kinds);
  py::class_<CatalogueHandle>(module, "Catalogue")
      .def_static("load", &load_records)
      .def_property_readonly("directory", [](const CatalogueHandle& c) { return c.shared->identity.directory; })
      .def_property_readonly("overlays", [](const CatalogueHandle& c) { return c.shared->identity.overlays; })
      .def_property_readonly("hash", [](const CatalogueHandle& c) { return c.shared->identity.hash; })
      .def_property_readonly("warnings", [](const CatalogueHandle& c) { return to_python(c.warnings); })
      .def("list",
           [](const CatalogueHandle& c, const std::string& kind, const std::string& provider) {
             return json_text(rows_json(list_records(*c.shared, kind, provider)));
           })
      .def("show", &shown_record)
      .def("check", [](const CatalogueHandle& c, const std::string& today) {
        return json_text(check_json(check_catalogue(*c.shared, today)));
      });
}

}  // namespace stallcast::python
