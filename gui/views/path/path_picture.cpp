#include "gui/views/path/path_picture.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/plan/explain/bound_gap.h"
#include "gui/session/qt_text.h"

namespace stallcast::gui {
namespace {

constexpr double kLeastShown = 0.1;  // of a unit: a smaller flow has one of its own

QString pathText(const char* text) { return QCoreApplication::translate("PathPicture", text); }

// Three significant digits, thousands set apart, millions as such: "1,230", "1.23 M".
QString threeDigits(double value) {
  const double size = std::abs(value);
  if (size >= 999.5e3 && std::isfinite(size)) return threeDigits(value / 1e6) + QStringLiteral(" M");
  const int digits = size >= 100.0 ? 0 : size >= 10.0 ? 1 : size >= 1.0 ? 2 : 3;
  double rounded = value;
  if (size >= 1000.0) {
    const double unit = std::pow(10.0, std::floor(std::log10(size)) - 2.0);
    rounded = std::round(value / unit) * unit;
  }
  return QLocale(QLocale::English, QLocale::UnitedStates).toString(rounded, 'f', digits);
}

struct RateUnit {
  double bytes_per_s;
  QString name;
};

// The one in which a rate is 1 to 1000.
RateUnit unitOf(double bytes_per_s) {
  constexpr std::array<const char*, 6> kUnits = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
  const auto power =
      static_cast<std::size_t>(std::clamp(std::floor(std::log10(std::max(1.0, bytes_per_s)) / 3.0), 0.0, 5.0));
  return {std::pow(1000.0, static_cast<double>(power)), QString::fromUtf8(kUnits.at(power))};
}

QStringList keysOf(const std::string& resource, const Answer& answer) {
  std::vector<LostTime> causes = resource == "gpu" ? std::vector<LostTime>{} : causes_of(resource);
  if (answer.evaluation) {
    const auto& lost = answer.evaluation->result.lost_fraction;
    std::stable_sort(causes.begin(), causes.end(), [&](LostTime a, LostTime b) {
      return lost[static_cast<std::size_t>(a)] > lost[static_cast<std::size_t>(b)];
    });
  }
  QStringList keys;
  if (resource == "gpu") keys << QStringLiteral("computing");
  for (const LostTime cause : causes) keys << fromView(lost_time_name(cause));
  keys << QString::fromStdString(resource);
  return keys;
}

}  // namespace

PathPicture pathPicture(const std::vector<PathLimit>& limits, const Answer& answer) {
  PathPicture picture;
  const Bound& bound = answer.bound;
  picture.simulated = answer.evaluation != nullptr;
  if (bound.gpu_utilization > 0.0)
    picture.samples_per_s = bound.samples_per_s / bound.gpu_utilization * answer.gpuUtilization();
  for (const PathLimit& limit : limits) {
    PathEdge edge;
    edge.limit = limit;
    edge.label = fromView(resource_label(limit.resource));
    edge.used = limit.capacity_per_s > 0.0 ? picture.samples_per_s / limit.capacity_per_s : 1.0;
    edge.binding = std::find(bound.tied.begin(), bound.tied.end(), limit.resource) != bound.tied.end();
    edge.keys = keysOf(limit.resource, answer);
    picture.edges.push_back(std::move(edge));
  }
  return picture;
}

QString PathPicture::sentence() const {
  QStringList binding;
  for (const PathEdge& edge : edges)
    if (edge.binding)
      binding << QStringLiteral("%1 (%2, %3)")
                     .arg(edge.label, flowText(edge.limit, samples_per_s, false), usedText(edge.used));
  const QString rate = QStringLiteral("%1 %2").arg(threeDigits(samples_per_s), pathText("samples/s"));
  const QString flow =
      simulated ? pathText("%1 flow, simulated.").arg(rate) : pathText("%1 flow, estimated.").arg(rate);
  if (binding.isEmpty()) return flow;
  return flow + QLatin1Char(' ') + pathText("The tightest limit is %1.").arg(binding.join(pathText(" and ")));
}

QString flowText(const PathLimit& limit, double samples_per_s, bool in_samples) {
  if (in_samples || limit.bytes_per_sample <= 0.0)
    return pathText("%1 of %2 samples/s").arg(threeDigits(samples_per_s), threeDigits(limit.capacity_per_s));
  const double flow = samples_per_s * limit.bytes_per_sample, capacity = limit.capacity_per_s * limit.bytes_per_sample;
  const RateUnit unit = unitOf(capacity);
  const QString most = QStringLiteral("%1 %2").arg(threeDigits(capacity / unit.bytes_per_s), unit.name);
  if (flow >= kLeastShown * unit.bytes_per_s || flow <= 0.0)
    return pathText("%1 of %2").arg(threeDigits(flow / unit.bytes_per_s), most);
  const RateUnit own = unitOf(flow);
  return pathText("%1 of %2").arg(QStringLiteral("%1 %2").arg(threeDigits(flow / own.bytes_per_s), own.name), most);
}

QString shareText(double used) {
  const double percent = 100.0 * used;
  if (percent > 0.0 && percent < 0.05) return QStringLiteral("\u22480\u00a0%");
  return QStringLiteral("%1\u00a0%").arg(QString::number(percent, 'f', percent < 9.95 ? 1 : 0));
}

QString usedText(double used) { return pathText("%1 used").arg(shareText(used)); }

}  // namespace stallcast::gui
