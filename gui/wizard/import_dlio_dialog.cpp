#include "gui/wizard/import_dlio_dialog.h"

#include <QFileDialog>
#include <QMessageBox>

#include "core/import/dlio.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::gui {

Findings importDlio(Session& session, const QString& path) {
  const Scenario& now = session.document().file().scenario;
  DlioOptions options;
  options.nodes = now.cluster.nodes;
  options.instance = now.cluster.instance;
  options.tier = now.storage.tier;
  const Loaded<nlohmann::ordered_json> json = import_dlio(path.toStdString(), options, session.catalogue());
  Findings findings = json.findings;
  if (!json.ok()) return findings;
  Loaded<ScenarioFile> file = parse_scenario(*json.value, path.toStdString());
  findings.append(file.findings);
  if (file.ok()) session.document().takeOver(std::move(*file.value), QObject::tr("import of %1").arg(path));
  return findings;
}

QAction* importDlioAction(Session& session, QWidget* window) {
  auto* const action = new QAction(QObject::tr("Import &DLIO workload…"), window);
  action->setObjectName(QStringLiteral("importDlioAction"));
  QObject::connect(action, &QAction::triggered, window, [&session, window] {
    auto* const dialog = new QFileDialog(window, QObject::tr("DLIO or MLPerf Storage workload"));
    dialog->setObjectName(QStringLiteral("importDlioDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({QObject::tr("Workloads (*.yaml *.yml)"), QObject::tr("All files (*)")});
    QObject::connect(dialog, &QFileDialog::fileSelected, window, [&session, window](const QString& path) {
      QString text;
      try {
        const Findings findings = importDlio(session, path);
        for (const Finding& finding : findings.list())
          text += QString::fromStdString(render_finding(finding)) + QStringLiteral("\n");
      } catch (const WorldError& error) {
        text = QString::fromUtf8(error.what());
      }
      if (text.isEmpty()) return;
      auto* const box = new QMessageBox(QMessageBox::Information, QObject::tr("Import"), text, QMessageBox::Ok, window);
      box->setObjectName(QStringLiteral("importFindings"));
      box->setAttribute(Qt::WA_DeleteOnClose);
      box->open();
    });
    dialog->open();
  });
  return action;
}

}  // namespace stallcast::gui
