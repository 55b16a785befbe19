// A report on the screen of the window: the same document that is written to files.
#pragma once

#include <QTextBrowser>
#include <map>
#include <string>

#include "core/report/document/document.h"

namespace stallcast::gui {

// Headings, text, tables and charts of the sections; numbers and words are those of document_html().
class ReportPage : public QTextBrowser {
  Q_OBJECT
 public:
  explicit ReportPage(QWidget* parent);

  // What stays where it is when it is shown again: how far down a reader is.
  void setReport(const stallcast::Document& document, bool first_page_only);

 protected:
  QVariant loadResource(int type, const QUrl& name) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int roomForCharts() const;
  void layOut();

  stallcast::Document document_;
  bool first_only_ = false;
  int laid_out_for_ = 0;             // width
  std::map<QString, Chart> charts_;  // by the address that the text has for them
};

}  // namespace stallcast::gui
