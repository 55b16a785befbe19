// The catalogue's records for Python: read once, shared by every call.
#pragma once

#include <pybind11/pybind11.h>

namespace stallcast::python {

void bind_catalogue(pybind11::module_& module);

}  // namespace stallcast::python
