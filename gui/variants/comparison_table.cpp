#include "gui/variants/comparison_table.h"

#include <QFont>
#include <algorithm>
#include <cmath>

#include "core/report/words/kpi_text.h"
#include "core/scenario/fields/field_title.h"

namespace stallcast::gui {
namespace {

// A size without its sign, in the unit of the figure; fractions in points.
QString sizeText(const Kpi& kpi, double size) {
  if (kpi.dimension == Dimension::kFraction) return QString::number(100.0 * size, 'f', 1);
  return QString::fromStdString(kpi_text(kpi, size));
}

// " ms" of "12 ms"; "" of what has none.
QString unitOf(const QString& text) {
  const qsizetype space = text.indexOf(' ');
  return space < 0 ? QString() : text.mid(space);
}

}  // namespace

QString differenceText(const Kpi& kpi, const Estimate& difference) {
  const double half = std::max(difference.mean - difference.ci95_low, difference.ci95_high - difference.mean);
  if (difference.mean == 0.0 && half == 0.0) return ComparisonTable::tr("the same");
  const QString size = sizeText(kpi, std::abs(difference.mean));
  const bool is_nothing = size == sizeText(kpi, 0.0);
  QString text = (is_nothing ? QString() : QString(difference.mean < 0.0 ? QChar(0x2212) : QChar('+'))) + size;
  if (std::isfinite(half) && half > 1e-5 * std::abs(difference.mean)) {
    const QString open = sizeText(kpi, half), unit = unitOf(open);
    if (!unit.isEmpty() && unit == unitOf(size)) text.chop(unit.size());  // said once
    text += QStringLiteral(" ± ") + open;
  }
  if (kpi.dimension == Dimension::kFraction) text += ComparisonTable::tr(" points");
  if (kpi.better == Better::kNeither) return text;
  if (difference.ci95_low <= 0.0 && difference.ci95_high >= 0.0) return ComparisonTable::tr("≈ %1").arg(text);
  const bool better = (difference.mean > 0.0) == (kpi.better == Better::kHigher);
  return better ? ComparisonTable::tr("%1, better").arg(text) : ComparisonTable::tr("%1, worse").arg(text);
}

void ComparisonTable::start(const QStringList& names) {
  headers_.clear();
  rows_.clear();
  headers_ << QString();
  for (qsizetype i = 0; i < names.size(); ++i) {
    headers_ << names[i];
    if (i > 0) headers_ << tr("%1\n− %2").arg(names[i], names[0]);
  }
}

void ComparisonTable::addInputs(const std::vector<InputDifference>& inputs) {
  rows_.push_back({{}, {}, {inputs.empty() ? tr("No input differs") : tr("Inputs that differ")}, true});
  for (const InputDifference& input : inputs) {
    Row row;
    row.key = QString::fromStdString(input.pointer);
    row.cells << QString::fromStdString(field_title(input.pointer));
    for (std::size_t s = 0; s < input.values.size(); ++s) {
      row.cells << QString::fromStdString(input.values[s]);
      if (s > 0) row.cells << QString();
    }
    rows_.push_back(std::move(row));
  }
}

void ComparisonTable::setInputs(const std::vector<InputDifference>& inputs, const QStringList& names) {
  beginResetModel();
  start(names);
  addInputs(inputs);
  endResetModel();
}

void ComparisonTable::setComparison(const Comparison& comparison, const QStringList& names) {
  beginResetModel();
  start(names);
  rows_.push_back({{}, {}, {tr("Figures")}, true});
  for (const KpiComparison& figure : comparison.figures) {
    Row row;
    row.key = QString::fromStdString(figure.kpi->name);
    row.help = QString::fromStdString(figure.kpi->help);
    row.cells << QString::fromStdString(figure.kpi->label);
    for (std::size_t s = 0; s < figure.values.size(); ++s) {
      const auto& value = figure.values[s];
      row.cells << (value ? QString::fromStdString(kpi_text(*figure.kpi, value->mean)) : tr("unknown"));
      if (s > 0) row.cells << (figure.differences[s] ? differenceText(*figure.kpi, *figure.differences[s]) : QString());
    }
    rows_.push_back(std::move(row));
  }
  addInputs(comparison.inputs);
  endResetModel();
}

void ComparisonTable::clear() {
  beginResetModel();
  headers_.clear();
  rows_.clear();
  endResetModel();
}

int ComparisonTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ComparisonTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(headers_.size());
}

QVariant ComparisonTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::DisplayRole) return row.cells.value(index.column());
  if (role == Qt::ToolTipRole && !row.help.isEmpty()) return row.help;
  if (role == Qt::TextAlignmentRole && index.column() > 0) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::FontRole && row.heading) {
    QFont font;
    font.setBold(true);
    return font;
  }
  return {};
}

QVariant ComparisonTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columnCount()) return {};
  return headers_[section];
}

}  // namespace stallcast::gui
