#include "core/answers/questions/quantity_option.h"

namespace stallcast {

std::optional<double> quantity_option(const char* option, Dimension dimension, const std::string& text,
                                      const OptionRange& range, Findings& findings) {
  const QuantityReading reading = parse_quantity(dimension, text);
  if (reading.base && *reading.base >= range.low && *reading.base <= range.high) return reading.base;
  Finding finding{Severity::kError, reading.error_code, option, "", text, reading.allowed, reading.fix, reading.why};
  if (reading.base) {
    finding.code = "out_of_range";
    finding.allowed = range.text;
  }
  findings.add(finding);
  return std::nullopt;
}

}  // namespace stallcast
