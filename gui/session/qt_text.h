// The core's texts as Qt's: both are UTF-8 underneath.
#pragma once

#include <QString>
#include <QStringList>
#include <string_view>

#include "core/diagnostics/finding.h"
#include "core/report/words/text_layout.h"

namespace stallcast::gui {

inline QString fromView(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// "78.6 %" of 0.786.
inline QString percentText(double fraction) { return QString::fromStdString(percent(fraction)); }

// What is wrong, a line for each error.
inline QString errorsText(const Findings& findings) {
  QStringList out;
  for (const Finding& finding : findings.list())
    if (finding.severity == Severity::kError) out.append(QString::fromStdString(render_finding(finding)));
  return out.join(QLatin1Char('\n'));
}

}  // namespace stallcast::gui
