// Disks that fail under the document: it stays as it was, and so does what was saved before.
#include <sys/resource.h>

#include <QDir>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>
#include <csignal>
#include <memory>

#include "core/diagnostics/finding.h"
#include "gui/session/autosave.h"
#include "gui/session/document.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {

// Writes beyond so many bytes of a file fail while this is there, as on a full disk.
class SmallFilesOnly {
 public:
  explicit SmallFilesOnly(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFilesOnly() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  SmallFilesOnly(const SmallFilesOnly&) = delete;
  SmallFilesOnly& operator=(const SmallFilesOnly&) = delete;

 private:
  rlimit before_ = {};
};

class DiskFaultsTest : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void aFullDiskLeavesDocumentAndFile();
  void aFolderThatIsGoneLeavesTheDocument();
  void aFileThatIsGoneCanBeSavedAgain();
  void unsavedChangesThatCannotBeKeptAreTold();

 private:
  void checkUntouched(Document& document) const;

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Document> document_;
  QString before_;
};

void DiskFaultsTest::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  QVERIFY(QDir(folder_->path()).mkdir("jobs"));
  document_ = std::make_unique<Document>(shippedCatalogue());
  QVERIFY(!document_->open(writeFile(*folder_, "jobs/job.json", kSmallJob)).has_errors());
  QVERIFY(document_->setValue("/loader/num_workers", "3"));
  before_ = asText(document_->toJson());
}

void DiskFaultsTest::checkUntouched(Document& document) const {
  QCOMPARE(asText(document.toJson()), before_);
  QCOMPARE(document.path(), folder_->filePath("jobs/job.json"));
  QVERIFY(document.isModified());
  QCOMPARE(document.undoStack().count(), 1);
}

void DiskFaultsTest::aFullDiskLeavesDocumentAndFile() {
  const QDir jobs(folder_->filePath("jobs"));
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{1}, rlim_t{100}}) {
    const SmallFilesOnly full(bytes);
    QVERIFY_THROWS_EXCEPTION(WorldError, document_->save(document_->path()));
    QVERIFY_THROWS_EXCEPTION(WorldError, document_->save(jobs.filePath("other.json")));
    checkUntouched(*document_);
  }
  QCOMPARE(jobs.entryList(QDir::Files | QDir::Hidden), QStringList{"job.json"});
  QFile saved(jobs.filePath("job.json"));
  QVERIFY(saved.open(QIODevice::ReadOnly));
  QCOMPARE(saved.readAll(), QByteArray(kSmallJob));
  document_->save(document_->path());  // there is room again
  QVERIFY(!document_->isModified());
}

void DiskFaultsTest::aFolderThatIsGoneLeavesTheDocument() {
  QVERIFY(QDir(folder_->filePath("jobs")).removeRecursively());
  QVERIFY_THROWS_EXCEPTION(WorldError, document_->open(document_->path()));
  QVERIFY_THROWS_EXCEPTION(WorldError, document_->save(document_->path()));
  checkUntouched(*document_);
  QVERIFY(!QFileInfo::exists(folder_->filePath("jobs")));
}

void DiskFaultsTest::aFileThatIsGoneCanBeSavedAgain() {
  QVERIFY(QFile::remove(document_->path()));
  checkUntouched(*document_);
  document_->save(document_->path());
  QVERIFY(!document_->isModified());
  QVERIFY(QFileInfo::exists(document_->path()));
}

void DiskFaultsTest::unsavedChangesThatCannotBeKeptAreTold() {
  Autosave autosave(*document_, folder_->filePath("recovery"));
  QSignalSpy failed(&autosave, &Autosave::failed);
  const SmallFilesOnly full(0);
  QVERIFY(document_->setValue("/loader/num_workers", "4"));
  QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kLongest);
  QCOMPARE(document_->valueText("/loader/num_workers"), QStringLiteral("4"));
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(DiskFaultsTest);
#include "disk_faults_test.moc"
