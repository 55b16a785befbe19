// Scenarios side by side: copies of the document, what differs between them, what comes of it, and whether that is
// luck.
#pragma once

#include <QLabel>
#include <QListView>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>

#include "gui/variants/comparison_table.h"
#include "gui/variants/variant_list.h"
#include "gui/views/view.h"

namespace stallcast::gui {

class VariantsPanel : public View {
  Q_OBJECT
 public:
  explicit VariantsPanel(Session& session, QWidget* parent = nullptr);
  QString title() const override { return tr("Variants"); }

  VariantList& variants() { return *list_; }
  ComparisonTable& table() { return *table_; }

  void duplicate();
  void openCurrent();  // in the place of the document, as one step back
  void pinCurrent();   // as the baseline
  void compareAll();   // those that are checked, in the background; stops it where it is under way
  bool isComparing() const;

 protected:
  void refresh() override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Counted {
    std::int64_t done = 0, wanted = 0;
  };
  struct Outcome {
    std::shared_ptr<const Comparison> comparison;
    QString problem;
  };
  struct Inputs {
    std::vector<InputDifference> differences;
    QString problem;
  };
  QLayout* makeButtons();
  void layOut(QLayout* buttons);
  void connectSignals();
  std::vector<int> comparedRows() const;  // the baseline first
  std::vector<ScenarioFile> filesOf(const std::vector<int>& rows) const;
  QStringList namesOf(const std::vector<int>& rows) const;
  int currentRow() const { return view_->currentIndex().row(); }
  void takeChange();
  void compareUnasked();
  void takeBaseline();  // of the session, where it is another one
  void removeCurrent();
  void showOutcome(const Outcome& outcome, const QStringList& names);
  void showButtons();
  void fitTable();

  VariantList* list_;
  ComparisonTable* table_;
  QListView* view_;
  QTableView* figures_;
  QPushButton *open_ = nullptr, *remove_ = nullptr, *pin_ = nullptr, *compare_ = nullptr;
  QProgressBar* progress_;
  QLabel* sentence_;
  bool outdated_ =
      false;  // what was compared last is not what is there now, and nobody has stopped a comparison of that
  std::shared_ptr<const ScenarioFile> pinned_;  // the session's baseline as this list has it
};

}  // namespace stallcast::gui
