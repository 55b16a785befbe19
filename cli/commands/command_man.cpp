// stallcast man DIR: manual pages made from the command line's own structure. For those who install; help hides it.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>

#include "cli/shell/command.h"
#include "cli/shell/manual_page.h"
#include "core/diagnostics/atomic_file.h"
#include "core/result/program_version.h"

namespace stallcast {
namespace {

// Today, or the day of $SOURCE_DATE_EPOCH (seconds since 1970), so that the same source makes the same pages.
std::string page_date() {
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  const std::time_t seconds = epoch == nullptr ? std::time(nullptr) : std::strtoll(epoch, nullptr, 10);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(seconds));
}

}  // namespace

void add_man_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("man", "Write the manual pages into a directory")->group("");
  const auto folder = std::make_shared<std::string>();
  command->add_option("DIR", *folder, "Directory for the pages; it must exist")->required();
  command->callback([&context, folder] {
    context.action = [&context, folder] {
      for (const ManualPage& page : manual_pages(context.program, std::string(program_version()), page_date()))
        write_file_atomically(std::filesystem::path(*folder) / (page.name + ".1"), page.text);
      return kExitFine;
    };
  });
}

}  // namespace stallcast
