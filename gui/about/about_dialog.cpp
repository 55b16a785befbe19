#include "gui/about/about_dialog.h"

#include <fmt/core.h>

#include <Eigen/Core>
#include <QDialogButtonBox>
#include <QLabel>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "core/result/program_version.h"
#include "gui/session/qt_text.h"

namespace stallcast::gui {
namespace {

QString row(const QString& name, const QString& version, const QString& licence) {
  return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;</td><td>%3</td></tr>")
      .arg(name, version, licence);
}

// As compiled, but for Qt, whose version is the one that runs.
QString partsTable() {
  const auto three = [](int major, int minor, int patch) {
    return QStringLiteral("%1.%2.%3").arg(major).arg(minor).arg(patch);
  };
  QString rows = row(QStringLiteral("Qt (Core, Gui, Widgets, Svg)"), QString::fromUtf8(qVersion()),
                     QStringLiteral("LGPL-3.0 or GPL"));
  rows += row(QStringLiteral("Qt Charts"), QString::fromUtf8(qVersion()), QStringLiteral("GPL-3.0"));
  rows += row(QStringLiteral("Boost"), three(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100),
              QStringLiteral("BSL-1.0"));
  rows += row(QStringLiteral("Eigen"), three(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION),
              QStringLiteral("MPL-2.0"));
  rows += row(QStringLiteral("fmt"), three(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100),
              QStringLiteral("MIT"));
  rows += row(QStringLiteral("JSON for Modern C++"),
              three(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH),
              QStringLiteral("MIT"));
  rows += row(QStringLiteral("yaml-cpp"), QStringLiteral(STALLCAST_YAML_CPP_VERSION), QStringLiteral("MIT"));
  rows += row(QStringLiteral("libcurl"), QStringLiteral(STALLCAST_CURL_VERSION), QStringLiteral("curl"));
  rows += row(QStringLiteral("zlib"), QStringLiteral(STALLCAST_ZLIB_VERSION), QStringLiteral("Zlib"));
  const QString uring = QStringLiteral(STALLCAST_LIBURING_VERSION);  // "" where the program is made without it
  if (!uring.isEmpty()) rows += row(QStringLiteral("liburing"), uring, QStringLiteral("MIT or LGPL-2.1"));
  return QStringLiteral("<table>%1</table>").arg(rows);
}

}  // namespace

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("aboutDialog"));
  setWindowTitle(tr("About stallcast"));
  auto* const head = new QLabel(
      tr("<h2>stallcast %1</h2><p>Cost and capacity planning for GPU training.</p>").arg(fromView(program_version())),
      this);
  head->setObjectName(QStringLiteral("aboutVersion"));
  auto* const text = new QTextBrowser(this);
  text->setObjectName(QStringLiteral("aboutText"));
  text->setAccessibleName(tr("Licences and versions"));
  text->setOpenExternalLinks(true);
  text->setHtml(tr("<h3>Licences</h3>"
                   "<p>The simulator (core) and the command line are under the Apache License 2.0.</p>"
                   "<p>This desktop program links Qt Charts, which its makers give away under the GNU GPL, version 3. "
                   "A binary of it is therefore, as a whole, under the GPL 3: whoever passes it on passes on the "
                   "source and these rights with it. The source files of this program stay under the Apache License "
                   "2.0, which the GPL 3 allows to be combined with it; core and command line contain no Qt and are "
                   "not touched by this.</p>"
                   "<p>There is no warranty, to the extent that the law permits.</p>"
                   "<h3>Made with</h3>%1")
                    .arg(partsTable()));
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* const layout = new QVBoxLayout(this);
  layout->addWidget(head);
  layout->addWidget(text, 1);
  layout->addWidget(buttons);
  resize(fontMetrics().averageCharWidth() * 90, fontMetrics().height() * 38);
}

QAction* aboutAction(QWidget* window) {
  auto* const action = new QAction(AboutDialog::tr("&About stallcast"), window);
  action->setObjectName(QStringLiteral("aboutAction"));
  action->setMenuRole(QAction::AboutRole);
  QObject::connect(action, &QAction::triggered, window, [window] {
    auto* const dialog = new AboutDialog(window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
  });
  return action;
}

}  // namespace stallcast::gui
