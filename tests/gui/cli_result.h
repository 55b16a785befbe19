// A copied command line as its reader would run it: by a shell, with the program of this build.
#pragma once

#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QString>
#include <nlohmann/json.hpp>
#include <string>

namespace stallcast::gui {

// What `command` prints with --format json; "" when it fails.
inline QString commandOutput(const QString& command) {
  QString line = command;
  line.replace("stallcast simulate", "stallcast simulate --format json");
  QProcess shell;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("PATH", QFileInfo(STALLCAST_PROGRAM).path() + ":" + environment.value("PATH"));
  shell.setProcessEnvironment(environment);
  shell.start("/bin/sh", {"-c", line});
  if (!shell.waitForFinished(300'000) || shell.exitCode() != 0) {
    qWarning("%s\n%s", qPrintable(line), shell.readAllStandardError().constData());
    return {};
  }
  return QString::fromUtf8(shell.readAllStandardOutput());
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
