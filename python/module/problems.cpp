#include "python/module/problems.h"

#include <new>
#include <string>
#include <system_error>

#include "core/result/program_version.h"

namespace stallcast::python {
namespace py = pybind11;

namespace {

void set_error(const char* type_name, const py::object& argument) {
  const py::object type = py::module_::import("stallcast._errors").attr(type_name);
  const py::object error = type(argument);
  PyErr_SetObject(type.ptr(), error.ptr());
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11's signature
void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const InputProblem& problem) {
    set_error("InputError", to_python(problem.findings()));
  } catch (const WorldError& error) {
    set_error("WorldError", py::str(error.what()));
  } catch (const std::system_error& error) {
    set_error("WorldError", py::str(error.what()));
  } catch (const py::builtin_exception&) {
    throw;  // of pybind11 itself: which Python exception it is, it knows
  } catch (const std::bad_alloc&) {
    throw;  // becomes MemoryError
  } catch (const std::exception& error) {
    set_error("BugError", py::str("this is a bug in stallcast " + std::string(program_version()) +
                                  ", please report it: " + error.what()));
  }
}

}  // namespace

py::list to_python(const Findings& findings) {
  py::list out;
  for (const Finding& finding : findings.list()) {
    py::dict one;
    one["severity"] = finding.severity == Severity::kError ? "error" : "warning";
    one["code"] = finding.code;
    one["file"] = finding.file;
    one["pointer"] = finding.pointer;
    one["got"] = finding.got;
    one["allowed"] = finding.allowed;
    one["fix"] = finding.fix;
    one["why"] = finding.why;
    one["text"] = render_finding(finding);
    out.append(one);
  }
  return out;
}

void register_problems() { py::register_exception_translator(&translate); }

}  // namespace stallcast::python
