// What every command file offers: a function that adds its command to the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/shell/environment.h"

namespace stallcast {

// Shared by the commands of one command line while it is built and parsed.
struct CommandContext {
  const Environment& environment;
  const CLI::App& program;      // all of it, for completions
  std::function<int()> action;  // set by the command that was given; run after parsing
};

void add_new_command(CLI::App& app, CommandContext& context);
void add_examples_command(CLI::App& app, CommandContext& context);
void add_explain_field_command(CLI::App& app, CommandContext& context);
void add_simulate_command(CLI::App& app, CommandContext& context);
void add_explain_command(CLI::App& app, CommandContext& context);
void add_attach_command(CLI::App& app, CommandContext& context);
void add_diagnose_command(CLI::App& app, CommandContext& context);
void add_compare_command(CLI::App& app, CommandContext& context);
void add_sensitivity_command(CLI::App& app, CommandContext& context);
void add_sweep_command(CLI::App& app, CommandContext& context);
void add_merge_command(CLI::App& app, CommandContext& context);
void add_size_command(CLI::App& app, CommandContext& context);
void add_validate_command(CLI::App& app, CommandContext& context);
void add_probe_command(CLI::App& app, CommandContext& context);
void add_backtest_command(CLI::App& app, CommandContext& context);
void add_emit_command(CLI::App& app, CommandContext& context);
void add_report_command(CLI::App& app, CommandContext& context);
void add_import_command(CLI::App& app, CommandContext& context);
void add_calibrate_command(CLI::App& app, CommandContext& context);
void add_catalogue_command(CLI::App& app, CommandContext& context);
void add_schema_command(CLI::App& app, CommandContext& context);
void add_completions_command(CLI::App& app, CommandContext& context);
void add_man_command(CLI::App& app, CommandContext& context);

}  // namespace stallcast
