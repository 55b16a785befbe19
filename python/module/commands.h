// The commands for Python: simulate, explain, size, compare, sweep, sensitivity, calibrate, diagnose, report.
#pragma once

#include <pybind11/pybind11.h>

namespace stallcast::python {

void bind_commands(pybind11::module_& module);
void bind_plan_commands(pybind11::module_& module);
void bind_measured_commands(pybind11::module_& module);

}  // namespace stallcast::python
