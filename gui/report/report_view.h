// The report of the scenario as it is: seen here, and written to a file.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "core/plan/review/review.h"
#include "gui/report/report_page.h"
#include "gui/views/view.h"

namespace stallcast::gui {

// What `stallcast report` writes of the open scenario, computed off the GUI thread. Made once, it follows the scenario
// while it is seen.
class ReportView : public View {
  Q_OBJECT
 public:
  explicit ReportView(Session& session, QWidget* parent = nullptr);
  ~ReportView() override;
  QString title() const override { return tr("Report"); }

  bool isRunning() const { return running_; }
  void make();
  void stop();
  // As the suffix says: html, md, json or pdf; `slide`: the first page as a PDF of 16:9.
  void saveTo(const QString& path, bool slide);

 protected:
  void refresh() override;

 private:
  struct Progress {
    QString what;
    std::int64_t done = 0, wanted = 0;
  };
  struct Outcome {
    std::optional<stallcast::Document> document;
    Findings findings;
    bool stopped = false;
  };
  QLayout* makeControls();
  void setRunning(bool running);
  void finish(Outcome outcome);
  void listSections();
  stallcast::Document chosen() const;  // of document_, the sections that are ticked
  void showPage();
  void askAndSave();
  void say(const QString& text);

  QComboBox* reader_ = nullptr;
  QPushButton *sections_ = nullptr, *make_ = nullptr, *stop_ = nullptr, *save_ = nullptr;
  std::set<std::string> left_out_;  // ids of sections
  ReportPage* page_ = nullptr;
  QLabel* status_ = nullptr;
  QProgressBar* progress_ = nullptr;
  std::optional<stallcast::Document> document_;
  std::uint64_t revision_ = 0;  // of the scenario that document_, or what is being made, is about
  std::uint64_t generation_ = 0;
  bool running_ = false;
};

}  // namespace stallcast::gui
