// The numbers behind a field's texts, and the values of it that are worth looking at.
#pragma once

#include <optional>
#include <string>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// The field at `pointer`, or the one whose member it names ("/workload/step_time/mean"); null where there is none.
const Field* field_or_parent(const std::string& pointer);

// Whether values at `pointer` are numbers: of a count, a quantity, a fraction, or a member with the unit of its field.
bool has_order(const std::string& pointer);

// `text` of a field with an order, as --set takes it, in base units; nothing where it is no such number.
std::optional<double> number_of_text(const std::string& pointer, const std::string& text);

// A number in base units as --set takes it.
std::string text_of_number(const std::string& pointer, double value);

// What the scenario has at `pointer`, as --set takes it; "" where there is no such field.
std::string text_of_field(const Scenario& scenario, const std::string& pointer);

}  // namespace stallcast
