// stallcast._core: the core for the Python package, which is what people use.
#include <pybind11/pybind11.h>

#include <string>

#include "core/result/program_version.h"
#include "python/module/answer.h"
#include "python/module/catalogue_binding.h"
#include "python/module/commands.h"
#include "python/module/job.h"
#include "python/module/problems.h"

PYBIND11_MODULE(_core, module) {
  using namespace stallcast::python;
  register_problems();
  module.attr("version") = std::string(stallcast::program_version());
  bind_job(module);
  bind_catalogue(module);
  bind_answer(module);
  bind_commands(module);
  bind_plan_commands(module);
  bind_measured_commands(module);
}
