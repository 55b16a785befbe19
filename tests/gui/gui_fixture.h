// What tests of the desktop program share: the shipped catalogue, small scenario files, and the command line as a
// function.
#pragma once

#include <QDir>
#include <QFile>
#include <QString>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {

inline const Catalogue& shippedCatalogue() {
  static const Catalogue catalogue = *load_catalogue(find_models_directory()).value;
  return catalogue;
}

// Half a second of a job that reads 100 kB samples with 2 ms latency: 20 steps, simulated whole in a few milliseconds.
inline constexpr const char* kSmallJob = R"({
  "format_version": 1,
  "name": "small job",
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"sample_size": "100 kB", "samples": 80},
  "loader": {"num_workers": 2},
  "storage": {"latency": "2 ms", "stream_bandwidth": "1 GB/s"},
  "run": {"whole_run": true}
})";

// Returns the path of a new file in `folder`.
inline QString writeFile(const QTemporaryDir& folder, const QString& name, const QByteArray& text) {
  QFile file(folder.filePath(name));
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write %s", qPrintable(name));
  return file.fileName();
}

inline QString shippedScenario(const QString& name) {
  return QStringLiteral(STALLCAST_SOURCE_DIR "/scenarios/") + name;
}

// QCOMPARE cannot show JSON.
inline QString asText(const nlohmann::ordered_json& json) { return QString::fromStdString(json.dump(2)); }

}  // namespace stallcast::gui
