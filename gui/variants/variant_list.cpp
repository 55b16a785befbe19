#include "gui/variants/variant_list.h"

#include <QFont>

namespace stallcast::gui {

VariantList::VariantList(Document& document, QObject* parent) : QAbstractListModel(parent), document_(document) {
  variants_.push_back({tr("Open document"), {}, true});
}

int VariantList::duplicate() {
  const int row = rowCount();
  beginInsertRows({}, row, row);
  variants_.push_back({tr("Variant %1").arg(++made_), document_.file(), true});
  endInsertRows();
  return row;
}

void VariantList::removeVariant(int row) {
  if (row <= 0 || row >= rowCount()) return;
  if (baseline_ == row) setBaseline(0);
  beginRemoveRows({}, row, row);
  variants_.erase(variants_.begin() + row);
  if (baseline_ > row) --baseline_;
  endRemoveRows();
}

void VariantList::setBaseline(int row) {
  if (row < 0 || row >= rowCount() || row == baseline_) return;
  baseline_ = row;
  emit dataChanged(index(0), index(rowCount() - 1));
}

void VariantList::pin(const ScenarioFile& file) {
  unpin();
  const int row = rowCount();
  beginInsertRows({}, row, row);
  variants_.push_back({tr("As pinned"), file, true, true});
  endInsertRows();
  setBaseline(row);
}

void VariantList::unpin() {
  setBaseline(0);
  for (int row = rowCount() - 1; row > 0; --row)
    if (variants_[static_cast<std::size_t>(row)].pinned) removeVariant(row);
}

QString VariantList::name(int row) const { return variants_[static_cast<std::size_t>(row)].name; }

const ScenarioFile& VariantList::file(int row) const {
  return row == 0 ? document_.file() : variants_[static_cast<std::size_t>(row)].file;
}

int VariantList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(variants_.size());
}

QVariant VariantList::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const int row = index.row();
  switch (role) {
    case Qt::DisplayRole:
      return row > 0 && row == baseline_ ? tr("%1 (baseline)").arg(name(row)) : name(row);
    case Qt::EditRole:
      return name(row);
    case Qt::CheckStateRole:
      return isCompared(row) ? Qt::Checked : Qt::Unchecked;
    case Qt::FontRole: {
      QFont font;
      font.setBold(row == baseline_);
      return font;
    }
    case Qt::ToolTipRole:
      return row == 0 ? tr("The document as it stands") : tr("A copy of the document as it was");
    default:
      return {};
  }
}

bool VariantList::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.row() >= rowCount()) return false;
  Variant& variant = variants_[static_cast<std::size_t>(index.row())];
  if (role == Qt::CheckStateRole && index.row() != baseline_) {
    variant.compared = value.toInt() == Qt::Checked;
  } else if (role == Qt::EditRole && index.row() > 0 && !value.toString().trimmed().isEmpty()) {
    variant.name = value.toString().trimmed();
  } else {
    return false;
  }
  emit dataChanged(index, index);
  return true;
}

Qt::ItemFlags VariantList::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren;
  if (index.row() > 0) flags |= Qt::ItemIsEditable;
  return flags;
}

}  // namespace stallcast::gui
