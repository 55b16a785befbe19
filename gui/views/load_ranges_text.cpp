#include "gui/views/load_ranges_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <string>

#include "core/report/words/text_layout.h"
#include "core/scenario/fields/field_title.h"

namespace stallcast::gui {
namespace {

using nlohmann::ordered_json;

QString translated(const char* text) { return QCoreApplication::translate("LoadRanges", text); }

QString timeText(double time_s) { return QString::fromStdString(duration_text(time_s)); }

// "11 min to 36 min"; "" where the range is not known.
QString rangeText(const ordered_json& range) {
  if (!range.is_object() || !range["low"].is_number() || !range["high"].is_number()) return {};
  return translated("%1 to %2").arg(timeText(range["low"].get<double>()), timeText(range["high"].get<double>()));
}

QString times(const ordered_json& document) {
  if (!document.contains("jobs")) {
    const QString ready = rangeText(document.at("ranges").at("time_to_ready_s").at("last"));
    return ready.isEmpty() ? ready
                           : translated("All machines are ready after %1, allowing for assumed inputs.").arg(ready);
  }
  QStringList parts;
  for (const ordered_json& job : document.at("jobs")) {
    const QString together = rangeText(job.at("ranges").at("together_s"));
    if (!together.isEmpty())
      parts.append(translated("%1 takes %2").arg(QString::fromStdString(job.at("name").get<std::string>()), together));
  }
  return parts.isEmpty() ? QString()
                         : translated("Allowing for assumed inputs, %1.").arg(parts.join(QStringLiteral("; ")));
}

// Of the field that a file calls by `path`.
QString titleOf(const std::string& path) {
  std::string pointer = "/" + path;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  return QString::fromStdString(field_title(pointer));
}

}  // namespace

RangesText loadRangesText(const ordered_json& document) {
  RangesText out;
  out.sentence = times(document);
  if (out.sentence.isEmpty()) return out;
  QStringList names, how;
  for (const ordered_json& input : document.at("assumptions")) {
    const ordered_json& effect = input.at("effect_s");
    if (names.size() == kDecidingInputs) break;
    if (!effect.is_number() || effect.get<double>() <= 0.0) continue;  // not tried, or of a job without an end
    const QString title = titleOf(input.at("path").get<std::string>());
    QString of = timeText(effect.get<double>());
    if (input.contains("effect_on"))
      of = translated("%1 of %2").arg(of, QString::fromStdString(input.at("effect_on").get<std::string>()));
    names.append(QStringLiteral("%1 (%2)").arg(title, of));
    how.append(QStringLiteral("%1: %2").arg(title, QString::fromStdString(input.at("narrow_by").get<std::string>())));
  }
  if (!names.isEmpty())
    out.sentence += translated(" Of the assumed inputs these decide most: %1.").arg(names.join(QStringLiteral(", ")));
  out.how = how.join(QLatin1Char('\n'));
  return out;
}

}  // namespace stallcast::gui
