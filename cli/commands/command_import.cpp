// stallcast import dlio WORKLOAD.yaml -o SCENARIO: benchmark configurations as scenarios.
#include <memory>

#include "cli/options/catalogue_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/import/dlio.h"

namespace stallcast {
namespace {

struct DlioCommand {
  std::string workload_path;
  std::string output_path;
  DlioOptions options;
  CatalogueOptions catalogue;
};

int import_dlio_command(const DlioCommand& given, const Environment& environment) {
  require_place_for(given.output_path);
  const Loaded<Catalogue> catalogue = load_catalogue(given.catalogue);
  if (!catalogue.ok()) {
    print_findings(catalogue.findings, environment.err);
    return kExitBadInput;
  }
  const Loaded<nlohmann::ordered_json> scenario = import_dlio(given.workload_path, given.options, *catalogue.value);
  print_findings(scenario.findings, environment.err);
  if (!scenario.ok()) return kExitBadInput;
  deliver(scenario.value->dump(2) + "\n", given.output_path, environment);
  return kExitFine;
}

}  // namespace

void add_import_command(CLI::App& app, CommandContext& context) {
  CLI::App* import = app.add_subcommand("import", "Make a scenario from another tool's configuration");
  import->require_subcommand(1);
  CLI::App* dlio = import->add_subcommand("dlio", "From a DLIO or MLPerf Storage workload (YAML)");
  const auto given = std::make_shared<DlioCommand>();
  dlio->add_option("WORKLOAD", given->workload_path, "Workload file (YAML)")->required();
  dlio->add_option("-o,--output", given->output_path, "Write the scenario to a file instead of standard output")
      ->type_name("FILE");
  dlio->add_option("--nodes", given->options.nodes, "Nodes of the job")->type_name("N")->check(CLI::Range(1, 1000000));
  dlio->add_option("--gpus-per-node", given->options.gpus_per_node, "Accelerators per node")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  dlio->add_option("--instance", given->options.instance, "Catalogue record of the machine")->type_name("NAME");
  dlio->add_option("--tier", given->options.tier, "Catalogue record of the storage")->type_name("NAME");
  add_catalogue_option(*dlio, given->catalogue);
  dlio->add_option("--override", given->options.overrides,
                   "Change a key of the workload, as in ++workload.reader.read_threads=12")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  dlio->callback([&context, given] {
    context.action = [&context, given] { return import_dlio_command(*given, context.environment); };
  });
}

}  // namespace stallcast
