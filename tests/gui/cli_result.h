// A copied command line as its reader would run it: by a shell, with the program of this build.
#pragma once

#include <QFileInfo>
#include <QRegularExpression>
#include <QString>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace stallcast::gui {

// What `command` prints with --format json; "" when it fails or takes longer than five minutes. By popen(): a QProcess
// shares this program's memory with its child for a moment, in which the thread sanitizer takes the one for the other
// and no longer sees what this thread locks.
inline QString commandOutput(const QString& command) {
  const QString folder = QFileInfo(STALLCAST_PROGRAM).path();
  QString line = command;
  line.replace("stallcast simulate", "timeout 300 stallcast simulate --inputs point --format json");
  std::FILE* output = ::popen(qPrintable(QString("PATH='%1':$PATH; %2").arg(folder, line)), "r");
  if (output == nullptr) return {};
  QByteArray text;
  std::array<char, 4096> part = {};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), output))
    text.append(part.data(), static_cast<qsizetype>(size));
  if (::pclose(output) != 0) {
    qWarning("%s", qPrintable(line));
    return {};
  }
  return QString::fromUtf8(text);
}

inline nlohmann::ordered_json commandResult(const QString& command) {
  const std::string output = commandOutput(command).toStdString();
  return output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json::parse(output);
}

// Printed JSON without what differs from run to run: the time that the simulation took.
inline QString withoutTimes(QString text) {
  static const QRegularExpression kTime("\n *\"wall_s\": [^\n]*");
  return text.remove(kTime);
}

// The same of a document, as text.
inline QString comparable(nlohmann::ordered_json document) {
  if (document.is_object()) document.erase("wall_s");
  if (document.contains("jobs"))
    for (nlohmann::ordered_json& job : document["jobs"]) {
      job.erase("wall_s");
      if (job.contains("alone")) job["alone"].erase("wall_s");
    }
  return QString::fromStdString(document.dump(2));
}

}  // namespace stallcast::gui
