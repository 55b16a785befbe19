// Which numbers a JSON result has, known before there is one.
#pragma once

#include <nlohmann/json.hpp>

namespace stallcast {

// A result_document() of a run with everything that a run may have: a run timeline, checkpoints, staging, uncertain
// inputs, a bill. Its values mean nothing; scenario and provenance are empty.
// **Checked by** tests/core/report/result_shape_test.cpp
nlohmann::ordered_json result_shape();

}  // namespace stallcast
