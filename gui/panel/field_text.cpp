#include "gui/panel/field_text.h"

#include <QObject>
#include <QStringList>

#include "core/scenario/fields/field_title.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/units/quantity_text.h"

namespace stallcast::gui {
namespace {

constexpr std::size_t kLongText = 12;    // what a field shows without scrolling
constexpr qsizetype kReadAtAGlance = 9;  // "1872 GiB" and "0.5 GB/s" stay

double to_six_digits(double value) { return QString::number(value, 'g', 6).toDouble(); }
double to_four_digits(double value) { return QString::number(value, 'g', 4).toDouble(); }
double to_three_digits(double value) { return QString::number(value, 'g', 3).toDouble(); }

}  // namespace

QString shownText(const Field& field, const Document& document) {
  FieldValue value = document.value(field);
  const std::string exact = value_text(field, value);
  if (!document.isGiven(field.pointer) && exact.size() > kLongText) {
    if (auto* number = std::get_if<double>(&value)) *number = to_six_digits(*number);
    if (auto* distribution = std::get_if<Distribution>(&value)) distribution->mean = to_six_digits(distribution->mean);
  }
  return QString::fromStdString(value_text(field, value));
}

QString summaryText(const Field& field, const Document& document) {
  const FieldValue value = document.value(field);
  if (const auto* number = std::get_if<double>(&value); number != nullptr && !document.isGiven(field.pointer)) {
    if (*number == 0.0 && field.kind == FieldKind::kQuantity) return QObject::tr("not set");
    const QString rounded = QString::fromStdString(value_text(field, to_four_digits(*number)));
    const QString exact = shownText(field, document);
    return exact.size() > kReadAtAGlance && rounded.size() < exact.size() ? rounded : QString();
  }
  const auto* varies = std::get_if<Distribution>(&value);
  if (varies == nullptr || varies->kind == DistributionKind::kConstant) return {};
  return QObject::tr("mean %1").arg(
      QString::fromStdString(format_quantity(field.dimension, to_three_digits(mean_of(*varies)), field.counted)));
}

QString groupTitle(const std::string& group) {
  if (group.empty()) return QObject::tr("Scenario");
  QString title = QString::fromStdString(group).replace('_', ' ');
  title[0] = title[0].toUpper();
  return title;
}

QString originText(const Field& field, const Document& document) {
  if (document.differsFromFile(field.pointer) && !document.isGiven(field.pointer))
    return QObject::tr("changed: the file gives it, here it is left open");
  const Provenance* provenance = document.provenance(field.pointer);
  if (provenance == nullptr) return {};
  switch (provenance->origin) {
    case Origin::kFile:
      return QObject::tr("given in the file");
    case Origin::kOverride:
      return QObject::tr("given here, not in the file");
    case Origin::kDefault:
      return QObject::tr("the default");
    case Origin::kCatalogue:
      break;
  }
  QString text = QObject::tr("from the catalogue, %1 (%2)")
                     .arg(QString::fromStdString(provenance->record), QString::fromStdString(provenance->kind));
  if (!provenance->source.empty()) text += ": " + QString::fromStdString(provenance->source);
  if (!provenance->note.empty()) text += QObject::tr(". Note: ") + QString::fromStdString(provenance->note);
  return text;
}

QString fieldToolTip(const Field& field, const Document& document) {
  const auto escaped = [](const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); };
  QString text =
      QStringLiteral("<p><b>%1</b></p><p>%2</p>").arg(escaped(field_title(field.pointer)), escaped(field.help));
  if (const std::string allowed = allowed_values(field); !allowed.empty())
    text += QObject::tr("<p>Allowed: %1</p>").arg(escaped(allowed));
  text += QObject::tr("<p>In files and for --set: %1</p>").arg(escaped(dotted_name(field.pointer)));
  if (const QString origin = originText(field, document); !origin.isEmpty())
    text += QObject::tr("<p>Value: %1</p>").arg(origin.toHtmlEscaped());
  if (const UncertainInput* range = document.range(field.pointer))
    text += QObject::tr(
                "<p>Its true value may be %1 to %2 times as large (90 %). The ends of the band below the slider "
                "move.</p>")
                .arg(QString::number(range->low_factor, 'g', 3), QString::number(range->high_factor, 'g', 3));
  return text;
}

QString findingText(const Finding& finding) {
  QStringList parts;
  if (!finding.got.empty()) parts << QObject::tr("got %1").arg(QString::fromStdString(finding.got));
  if (!finding.allowed.empty()) parts << QObject::tr("allowed %1").arg(QString::fromStdString(finding.allowed));
  if (!finding.fix.empty()) parts << QString::fromStdString(finding.fix);
  QString text = parts.join("; ");
  if (!finding.why.empty()) {
    const QString why = QString::fromStdString(finding.why);
    text = text.isEmpty() ? why : QStringLiteral("%1 (%2)").arg(text, why);
  }
  return text.isEmpty() ? QString::fromStdString(finding.code).replace('_', ' ') : text;
}

bool isAbout(const Finding& finding, const std::string& pointer) {
  return finding.pointer == pointer || finding.pointer.starts_with(pointer + "/");
}

}  // namespace stallcast::gui
