#include "gui/report/report_page.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>

#include "core/report/charts/chart_svg.h"
#include "gui/charts/chart_export.h"
#include "gui/palette.h"

namespace stallcast::gui {
namespace {

QString escaped(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

QString htmlOf(const Text& text, const QString& muted) {
  QString out;
  for (const Words& words : text) {
    QString one = escaped(words.text);
    if (words.style == Words::Style::kStrong) one = QStringLiteral("<b>%1</b>").arg(one);
    if (words.style == Words::Style::kCode) one = QStringLiteral("<code>%1</code>").arg(one);
    if (words.style == Words::Style::kMuted) one = QStringLiteral("<span style=\"color:%1\">%2</span>").arg(muted, one);
    if (!words.link.empty()) one = QStringLiteral("<a href=\"%1\">%2</a>").arg(escaped(words.link), one);
    out += one;
  }
  return out;
}

// Writes the HTML that a QTextDocument knows.
class Writer {
 public:
  Writer(const QPalette& palette, int room, std::map<QString, Chart>& charts)
      : room_(room),
        muted_(mutedText(palette).name()),
        line_(mutedText(palette, 0.3).name()),
        chosen_(palette.color(QPalette::AlternateBase).name()),
        charts_(charts) {}

  void section(const Section& section, int level) {
    if (!section.id.empty()) text_ += QStringLiteral("<a name=\"%1\"></a>").arg(escaped(section.id));
    text_ += QStringLiteral("<h%1>%2</h%1>").arg(level).arg(escaped(section.title));
    for (const Block& block : section.blocks) std::visit([this](const auto& one) { add(one); }, block);
    for (const Section& part : section.parts) this->section(part, std::min(level + 1, 5));
  }
  QString text_;

 private:
  void add(const Paragraph& paragraph) { text_ += QStringLiteral("<p>%1</p>").arg(htmlOf(paragraph.text, muted_)); }

  void add(const BulletList& list) {
    text_ += QStringLiteral("<ul>");
    for (const Text& item : list.items)
      text_ +=
          QStringLiteral("<li>%1%2</li>").arg(list.to_tick ? QStringLiteral("☐ ") : QString(), htmlOf(item, muted_));
    text_ += QStringLiteral("</ul>");
  }

  void add(const DocumentTable& table) {
    text_ +=
        QStringLiteral("<table cellspacing=\"0\" cellpadding=\"5\" width=\"100%\" style=\"border-collapse:collapse\">");
    if (!table.caption.empty()) text_ += QStringLiteral("<caption>%1</caption>").arg(escaped(table.caption));
    text_ += QStringLiteral("<thead><tr>");
    for (const DocumentTable::Column& column : table.columns)
      text_ +=
          QStringLiteral("<th align=\"%1\" style=\"border-bottom:1px solid %2\">%3</th>")
              .arg(column.numeric ? QStringLiteral("right") : QStringLiteral("left"), line_, escaped(column.heading));
    text_ += QStringLiteral("</tr></thead>");
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const bool chosen = table.chosen == i;
      text_ += chosen ? QStringLiteral("<tr bgcolor=\"%1\">").arg(chosen_) : QStringLiteral("<tr>");
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const QString inside = c < table.rows[i].size() ? htmlOf(table.rows[i][c], muted_) : QString();
        text_ += QStringLiteral("<td align=\"%1\" style=\"border-bottom:1px solid %2\">%3</td>")
                     .arg(table.columns[c].numeric ? QStringLiteral("right") : QStringLiteral("left"), line_,
                          chosen ? QStringLiteral("<b>%1</b>").arg(inside) : inside);
      }
      text_ += QStringLiteral("</tr>");
    }
    text_ += QStringLiteral("</table>");
  }

  // Files are what export is for: here their name is enough.
  void add(const CodeBlock& code) {
    if (code.folded || !code.file_name.empty()) {
      text_ += QStringLiteral("<p style=\"color:%1\">%2</p>")
                   .arg(muted_, escaped(code.file_name.empty() ? code.language : code.file_name));
      return;
    }
    text_ += QStringLiteral("<pre style=\"white-space:pre-wrap\">%1</pre>").arg(escaped(code.text));
  }

  void add(const ChartBlock& block) {
    const QString address = QStringLiteral("chart:%1").arg(charts_.size());
    charts_.emplace(address, block.chart);
    text_ += QStringLiteral("<p><img src=\"%1\" width=\"%2\"/></p>").arg(address).arg(room_);
  }

  int room_;  // pixels across that a chart may have
  QString muted_, line_, chosen_;
  std::map<QString, Chart>& charts_;
};

}  // namespace

ReportPage::ReportPage(QWidget* parent) : QTextBrowser(parent) {
  setOpenExternalLinks(true);
  setAccessibleName(tr("The report"));
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
}

void ReportPage::setReport(const stallcast::Document& document, bool first_page_only) {
  document_ = document;
  first_only_ = first_page_only;
  layOut();
}

void ReportPage::layOut() {
  const int down = verticalScrollBar()->value();
  laid_out_for_ = viewport()->width();
  charts_.clear();
  Writer writer(palette(), roomForCharts(), charts_);
  writer.text_ = QStringLiteral("<h1>%1</h1><p>%2</p>").arg(escaped(document_.title), escaped(document_.subtitle));
  for (const Section& section : document_.sections) {
    writer.section(section, 2);
    if (first_only_) break;
  }
  setHtml(writer.text_);
  verticalScrollBar()->setValue(down);
}

QVariant ReportPage::loadResource(int type, const QUrl& name) {
  const auto chart = charts_.find(name.toString());
  if (chart == charts_.end()) return QTextBrowser::loadResource(type, name);
  // As many pixels as are shown: text that is scaled afterwards is hard to read.
  const double own = SvgOptions().width, ratio = devicePixelRatioF();
  QImage image = chartImage(chart->second, roomForCharts() * ratio / own, isDark(palette()));
  image.setDevicePixelRatio(ratio);
  return image;
}

int ReportPage::roomForCharts() const {
  constexpr int kWidest = 900;  // pixels
  return std::clamp(viewport()->width() - 4 * static_cast<int>(document()->documentMargin()), 100, kWidest);
}

void ReportPage::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  if (laid_out_for_ > 0 && viewport()->width() != laid_out_for_) layOut();
}

void ReportPage::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !document_.sections.empty()) layOut();
}

}  // namespace stallcast::gui
