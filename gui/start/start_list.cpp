#include "gui/start/start_list.h"

#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTextLayout>

#include "core/first/example_files.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "gui/palette.h"
#include "gui/start/job_path.h"

namespace stallcast::gui {
namespace {

constexpr int kAbout = Qt::UserRole + 1;  // after the path
constexpr int kAboutLines = 3;

// "~/jobs" of "/home/ada/jobs".
QString fromHome(const QString& folder) {
  const QString home = QDir::homePath();
  return folder == home || folder.startsWith(home + '/') ? '~' + folder.mid(home.size()) : folder;
}

// Wrapped to `lines` lines, the last one shortened.
void drawWrapped(QPainter& painter, const QRectF& area, const QString& text, int lines) {
  const QFontMetricsF metrics(painter.font());
  QTextLayout layout(text, painter.font());
  layout.beginLayout();
  for (int i = 0; i < lines; ++i) {
    QTextLine line = layout.createLine();
    if (!line.isValid()) break;
    line.setLineWidth(area.width());
    const int from = line.textStart();
    const bool last = i + 1 == lines && from + line.textLength() < text.size();
    const QString shown =
        last ? metrics.elidedText(text.mid(from), Qt::ElideRight, area.width()) : text.mid(from, line.textLength());
    painter.drawText(QPointF(area.left(), area.top() + metrics.height() * i + metrics.ascent()), shown);
  }
  layout.endLayout();
}

class CardDelegate : public QStyledItemDelegate {
 public:
  CardDelegate(const Catalogue& catalogue, QObject* parent) : QStyledItemDelegate(parent), catalogue_(catalogue) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const override {
    return {0, (1 + kAboutLines) * option.fontMetrics.height() + 2 * gapOf(option)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    option.text.clear();
    const QWidget* const widget = option.widget;
    widget->style()->drawControl(QStyle::CE_ItemViewItem, &option, painter, widget);
    painter->save();
    const int gap = gapOf(option);
    const QRectF card = QRectF(option.rect).adjusted(gap, gap, -gap, -gap);
    const double picture = std::min(0.4 * card.width(), 16.0 * option.fontMetrics.height());
    QPalette palette = option.palette;
    if ((option.state & QStyle::State_Selected) != 0) {
      palette.setColor(QPalette::Text, palette.color(QPalette::HighlightedText));
      palette.setColor(QPalette::Base, palette.color(QPalette::Highlight));
    }
    drawPath(*painter, {card.left(), card.top(), picture, card.height()}, pathOf(index), palette);
    const QRectF words = card.adjusted(picture + 2 * gap, 0.0, 0.0, 0.0);
    QFont bold = option.font;
    bold.setBold(true);
    painter->setFont(bold);
    painter->setPen(palette.color(QPalette::Text));
    const QString title = index.data(Qt::DisplayRole).toString();
    painter->drawText(words, Qt::AlignTop | Qt::AlignLeft,
                      QFontMetricsF(bold).elidedText(title, Qt::ElideRight, words.width()));
    painter->setFont(option.font);
    painter->setPen(mutedText(palette, 0.8));
    drawWrapped(*painter, words.adjusted(0.0, option.fontMetrics.height(), 0.0, 0.0), index.data(kAbout).toString(),
                kAboutLines);
    painter->restore();
  }

 private:
  static int gapOf(const QStyleOptionViewItem& option) { return option.fontMetrics.height() / 3; }

  const std::vector<Station>& pathOf(const QModelIndex& index) const {
    const QString file = index.data(Qt::UserRole).toString();
    const auto known = paths_.constFind(file);
    if (known != paths_.constEnd()) return *known;
    std::vector<Station> path;
    if (const Loaded<ScenarioFile> read = load_scenario(file.toStdString()); read.value)
      if (const Loaded<ResolvedScenario> resolved = resolve(*read.value, catalogue_); resolved.value)
        path = jobPath(resolved.value->scenario);
    return *paths_.insert(file, path);
  }

  const Catalogue& catalogue_;
  mutable QHash<QString, std::vector<Station>> paths_;  // by file
};

}  // namespace

StartList::StartList(const Catalogue& catalogue, const QStringList& recent, QWidget* parent) : QListWidget(parent) {
  setItemDelegate(new CardDelegate(catalogue, this));
  setUniformItemSizes(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  const auto add = [this](const QString& title, const QString& about, const QString& path) {
    auto* const item = new QListWidgetItem(title, this);
    item->setToolTip(about);
    item->setData(Qt::UserRole, path);
    item->setData(kAbout, about);
    item->setData(Qt::AccessibleDescriptionRole, about);
  };
  for (const QString& path : recent)
    add(QFileInfo(path).fileName(), tr("Opened recently, in %1").arg(fromHome(QFileInfo(path).path())), path);
  try {
    for (const ExampleFile& example : example_files(catalogue.identity.directory))
      add(QString::fromStdString(example.title), QString::fromStdString(example.about),
          QString::fromStdString(example.path.string()));
  } catch (const WorldError&) {  // installed without examples
  }
}

}  // namespace stallcast::gui
