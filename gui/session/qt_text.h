// The core's texts as Qt's: both are UTF-8 underneath.
#pragma once

#include <QString>
#include <string_view>

namespace stallcast::gui {

inline QString fromView(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace stallcast::gui
