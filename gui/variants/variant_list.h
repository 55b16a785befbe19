// The scenarios that stand side by side: the open document, and copies of it as it was.
#pragma once

#include <QAbstractListModel>
#include <vector>

#include "core/scenario/resolve/scenario_file.h"
#include "gui/session/document.h"

namespace stallcast::gui {

// Row 0 is the open document; it is never removed. Names can be edited; checked rows are compared, with the baseline,
// which is the document while nothing is pinned.
class VariantList : public QAbstractListModel {
  Q_OBJECT
 public:
  explicit VariantList(Document& document, QObject* parent = nullptr);

  int duplicate();  // the document as it is now, as the last row
  void removeVariant(int row);
  void setBaseline(int row);
  // What was pinned outside of the list, in a row of its own, as the baseline; one pinned before goes.
  void pin(const ScenarioFile& file);
  void unpin();  // the baseline is row 0 again, and such a row is gone
  int baseline() const { return baseline_; }
  bool isCompared(int row) const { return row == baseline_ || variants_[static_cast<std::size_t>(row)].compared; }
  QString name(int row) const;
  const ScenarioFile& file(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  struct Variant {
    QString name;
    ScenarioFile file;  // of row 0 not used
    bool compared = true;
    bool pinned = false;  // outside of the list
  };

  Document& document_;
  std::vector<Variant> variants_;
  int baseline_ = 0;
  int made_ = 0;
};

}  // namespace stallcast::gui
