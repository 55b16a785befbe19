#include "python/module/answer.h"

#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "core/report/charts/chart_svg.h"
#include "core/report/charts/chart_vega.h"
#include "python/module/problems.h"

namespace stallcast::python {
namespace py = pybind11;

namespace {

// Made without the interpreter's lock; "" where there is nothing to make it with.
std::string made(const std::function<std::string()>& make) {
  const py::gil_scoped_release others_run;
  return make ? make() : std::string();
}

}  // namespace

void bind_answer(py::module_& module) {
  py::class_<Chart>(module, "Chart")
      .def_readonly("id", &Chart::id)
      .def_readonly("title", &Chart::title)
      .def_readonly("alt", &Chart::alt)
      .def("svg", [](const Chart& chart) { return chart_svg(chart); })
      .def("csv", &chart_csv)
      .def("vega", [](const Chart& chart) { return chart_vega(chart).dump(); });
  py::class_<Answer>(module, "Answer")
      .def("json", [](const Answer& answer) { return made(answer.json); })
      .def("csv", [](const Answer& answer) { return made(answer.csv); })
      .def("text", [](const Answer& answer) { return made(answer.text); })
      .def("charts", [](const Answer& answer) { return answer.charts ? answer.charts() : std::vector<Chart>(); })
      .def("special",
           [](const Answer& answer, std::string name) {
             const py::gil_scoped_release others_run;
             return answer.special ? answer.special(std::move(name)) : std::string();
           })
      .def_property_readonly("warnings", [](const Answer& answer) { return to_python(answer.warnings); })
      .def_readonly("core_s", &Answer::core_s);
}

}  // namespace stallcast::python
