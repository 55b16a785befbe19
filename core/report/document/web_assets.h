// What a page of a report brings along, put into the program at build time from core/report/web.
#pragma once

#include <string_view>

namespace stallcast {

struct WebAsset {
  std::string_view text;
  std::string_view sha256;  // of the text, in hexadecimal digits
};

WebAsset page_style();
WebAsset page_script();
// Vega with what draws a chart by it, and the licences of all that is in it; empty where it was built without npm.
WebAsset charts_script();
WebAsset chart_licences();

}  // namespace stallcast
