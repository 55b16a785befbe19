// What a person reads about a field and about what is wrong with it.
#pragma once

#include <QString>
#include <string>

#include "core/diagnostics/finding.h"
#include "core/scenario/fields/field_table.h"
#include "gui/session/document.h"

namespace stallcast::gui {

// "Cluster", "Page cache"; "Scenario" for the fields at the top.
QString groupTitle(const std::string& group);

// The value as the form shows it: as it was given, or to six digits where it was computed from a record.
QString shownText(const Field& field, const Document& document);

// Shorter than shownText(), for a value that nobody edits: "mean 583 µs" of one that varies, which is JSON there; four
// digits and "not set" of numbers that nobody gave. "" where it is no shorter.
QString summaryText(const Field& field, const Document& document);

// Meaning, allowed values, and where the present value is from, as rich text for a tool tip.
QString fieldToolTip(const Field& field, const Document& document);

// The same without the meaning: "from the catalogue, tier/parallelstore (vendor): ...".
QString originText(const Field& field, const Document& document);

// "got 95; allowed 0 to 1; did you mean 0.95? (...)"
QString findingText(const Finding& finding);

// Whether `finding` is about the field at `pointer`, or about a part of it.
bool isAbout(const Finding& finding, const std::string& pointer);

}  // namespace stallcast::gui
