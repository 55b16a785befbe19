// The core's texts as Qt's: both are UTF-8 underneath.
#pragma once

#include <QString>
#include <string_view>

#include "core/report/words/text_layout.h"

namespace stallcast::gui {

inline QString fromView(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// "78.6 %" of 0.786.
inline QString percentText(double fraction) { return QString::fromStdString(percent(fraction)); }

}  // namespace stallcast::gui
