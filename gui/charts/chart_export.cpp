#include "gui/charts/chart_export.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPainter>
#include <QSvgRenderer>
#include <algorithm>
#include <filesystem>

#include "core/diagnostics/atomic_file.h"
#include "core/diagnostics/finding.h"
#include "core/report/charts/chart_svg.h"

namespace stallcast::gui {
namespace {

constexpr double kLargestSide = 16384.0;

std::string pngOf(const Chart& chart) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  chartImage(chart, kImageScale).save(&buffer, "PNG");
  return bytes.toStdString();
}

}  // namespace

QImage chartImage(const Chart& chart, double scale, bool dark) {
  QSvgRenderer renderer(QByteArray::fromStdString(chart_svg(chart, {.dark = dark})));
  const QSizeF own = renderer.defaultSize();
  const double side = std::max({1.0, own.width(), own.height()});
  const double used = std::min(scale, kLargestSide / side);
  QImage image((own * used).toSize().expandedTo(QSize(1, 1)), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::white);
  QPainter painter(&image);
  renderer.render(&painter);
  return image;
}

void saveChart(const Chart& chart, const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  std::string content;
  if (suffix == QStringLiteral("svg")) {
    content = chart_svg(chart);
  } else if (suffix == QStringLiteral("csv")) {
    content = chart_csv(chart);
  } else if (suffix == QStringLiteral("png")) {
    content = pngOf(chart);
  } else {
    throw WorldError(path.toStdString() + ": a chart is saved as .svg, .png or .csv");
  }
  write_file_atomically(std::filesystem::path(path.toStdString()), content);
}

}  // namespace stallcast::gui
