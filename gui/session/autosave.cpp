#include "gui/session/autosave.h"

#include <QDir>
#include <QFile>
#include <QMetaObject>
#include <QStandardPaths>
#include <QUuid>
#include <utility>

#include "core/diagnostics/atomic_file.h"
#include "core/diagnostics/json_input.h"

namespace stallcast::gui {
namespace {

constexpr int kDelay = 3000;  // ms

QString lock_of(const QString& recovery_file) { return recovery_file + ".lock"; }

std::optional<Recovered> read_recovery(const QString& file) {
  try {
    const Loaded<nlohmann::ordered_json> json = read_json_file(file.toStdString());
    if (!json.ok() || !json.value->is_object() || !json.value->contains("scenario")) return std::nullopt;
    const nlohmann::ordered_json stated = json.value->value("path", nlohmann::ordered_json(""));
    const QString path = stated.is_string() ? QString::fromStdString(stated.get<std::string>()) : QString();
    Loaded<ScenarioFile> scenario = parse_scenario(json.value->at("scenario"), path.toStdString());
    if (!scenario.ok()) return std::nullopt;
    return Recovered{file, path, QFileInfo(file).lastModified(), std::move(*scenario.value)};
  } catch (const WorldError&) {
    return std::nullopt;
  }
}

}  // namespace

Autosave::Autosave(Document& document, QString folder, QObject* parent)
    : QObject(parent),
      document_(document),
      folder_(std::move(folder)),
      file_(folder_ + "/" + QUuid::createUuid().toString(QUuid::WithoutBraces) + ".json"),
      lock_(lock_of(file_)) {
  lock_.setStaleLockTime(0);  // stale when its program is gone, however old
  timer_.setSingleShot(true);
  timer_.setInterval(kDelay);
  writer_.setMaxThreadCount(1);
  connect(&timer_, &QTimer::timeout, this, &Autosave::write);
  connect(&document_, &Document::changed, this, &Autosave::follow);
  connect(&document_, &Document::pathChanged, this, &Autosave::follow);
}

Autosave::~Autosave() {
  writer_.waitForDone();
  QFile::remove(file_);
}

// Every change counts from the first unsaved one, so that a steady hand is saved too.
void Autosave::follow() {
  if (!document_.isModified()) return remove();
  if (!timer_.isActive()) timer_.start();
}

void Autosave::write() {
  if (!document_.isModified()) return;
  if (!lock_.isLocked() && (!QDir().mkpath(folder_) || !lock_.tryLock(0))) {
    emit failed(tr("Unsaved changes cannot be kept in %1").arg(folder_));
    return;
  }
  written_ = true;
  nlohmann::ordered_json json = {{"path", document_.path().toStdString()}, {"scenario", document_.toJson()}};
  writer_.start([this, json = std::move(json)] {
    try {
      write_file_atomically(file_.toStdString(), json.dump(2) + "\n");
    } catch (const WorldError& error) {
      const QString message = QString::fromUtf8(error.what());
      QMetaObject::invokeMethod(
          this, [this, message] { emit failed(message); }, Qt::QueuedConnection);
    }
  });
}

void Autosave::remove() {
  timer_.stop();
  if (!std::exchange(written_, false)) return;
  writer_.start([file = file_] { QFile::remove(file); });
}

QString Autosave::usualFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/recovery";
}

QList<Recovered> Autosave::leftBehind(const QString& folder) {
  QList<Recovered> found;
  const QFileInfoList files = QDir(folder).entryInfoList({"*.json"}, QDir::Files, QDir::Time);
  for (const QFileInfo& info : files) {
    QLockFile lock(lock_of(info.filePath()));
    lock.setStaleLockTime(0);
    if (!lock.tryLock(0)) continue;  // its program runs
    if (std::optional<Recovered> recovered = read_recovery(info.filePath())) found << std::move(*recovered);
  }
  return found;
}

void Autosave::discard(const Recovered& recovered) { QFile::remove(recovered.recovery_file); }

}  // namespace stallcast::gui
