// Times on an axis that shows days or milliseconds.
#pragma once

#include <QString>
#include <vector>

namespace stallcast::gui {

// Round step between ticks, so that at most `most` of them are in `span_s`: 1, 2 or 5 times a power of ten below a
// second; whole parts of minutes, hours and days above. **Range** span_s > 0, most >= 1
double tickStep(double span_s, int most);

// The multiples of `step_s` from `from_s` to `to_s`.
std::vector<double> ticks(double from_s, double to_s, double step_s);

// "3 d 4 h", "12 h 30 min", "2.125 s": as many parts and digits as steps of `step_s` need.
QString tickLabel(double time_s, double step_s);

// A length of time: "2.4 ms", "3 h 20 min".
QString durationText(double time_s);

}  // namespace stallcast::gui
