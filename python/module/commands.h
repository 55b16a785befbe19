// The commands for Python: simulate, explain, size, compare, sweep, sensitivity, calibrate, diagnose, report.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "core/cost/cost_breakdown.h"
#include "core/report/charts/chart.h"
#include "core/result/run_result.h"

namespace stallcast::python {

void bind_commands(pybind11::module_& module);
void bind_plan_commands(pybind11::module_& module);
void bind_measured_commands(pybind11::module_& module);

// What a report draws of one run: where the time goes, what the money goes for, and the run's parts where it has any.
std::vector<Chart> run_charts(const std::string& name, const RunResult& result, const CostBreakdown& cost);

}  // namespace stallcast::python
