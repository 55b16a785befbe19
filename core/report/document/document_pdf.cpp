#include "core/report/document/document_pdf.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "core/diagnostics/atomic_file.h"
#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

constexpr std::array kBrowsers = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"};
constexpr std::chrono::seconds kLongest{120};

// A folder for one use.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "stallcast-pdf-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw WorldError(fmt::format("{}: cannot be created: {}", name, std::strerror(errno)));
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Starts a program in a process group of its own, its messages into `log`.
pid_t start(const std::vector<std::string>& command, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): posix_spawn writes to none of them
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  sigset_t none, changed;  // this process ignores SIGPIPE, and its threads leave signals to one of them
  ::sigemptyset(&none);
  ::sigemptyset(&changed);
  ::sigaddset(&changed, SIGPIPE);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &changed);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, command.front().c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) throw WorldError(fmt::format("{}: cannot be started: {}", command.front(), std::strerror(error)));
  return child;
}

// Waits for the child; ends it and all it started when it takes too long or `stop` is requested.
int wait_for(pid_t child, const std::string& name, const std::stop_token& stop) {
  const auto latest = std::chrono::steady_clock::now() + kLongest;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const bool late = std::chrono::steady_clock::now() > latest;
    if (late || stop.stop_requested()) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      throw WorldError(late ? fmt::format("{}: gave no PDF within {} s", name, kLongest.count())
                            : name + ": stopped before it had printed the PDF");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(-child, SIGKILL);  // helpers it may have left
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> print_command(const std::string& browser, const ScratchFolder& scratch) {
  const std::string folder = scratch.path().string();
  std::vector<std::string> command = {browser,
                                      "--headless",
                                      "--disable-gpu",
                                      "--disable-quic",
                                      "--disable-sync",
                                      "--disable-extensions",
                                      "--disable-background-networking",
                                      "--disable-component-update",
                                      "--disable-crash-reporter",
                                      "--disable-dev-shm-usage",
                                      "--no-first-run",
                                      "--no-pdf-header-footer",
                                      "--host-resolver-rules=MAP * ~NOTFOUND",
                                      "--user-data-dir=" + folder + "/profile",
                                      "--print-to-pdf=" + folder + "/report.pdf",
                                      "file://" + folder + "/report.html"};
  // Its sandbox does not start for the administrator; the page is ours and its policy lets no script in.
  if (::geteuid() == 0) command.insert(command.begin() + 1, "--no-sandbox");
  return command;
}

}  // namespace

std::string pdf_browser() {
  const char* path = std::getenv("PATH");
  for (const char* name : kBrowsers) {
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string candidate = folder + "/" + name;
      if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
  }
  return "";
}

void write_pdf(std::string_view html, const std::filesystem::path& path, const std::stop_token& stop) {
  const std::string browser = pdf_browser();
  if (browser.empty())
    throw WorldError(
        fmt::format("{}: a PDF is printed by Chromium or Chrome, and none is on PATH; install one (Debian: apt install "
                    "chromium), or use --format html and print the page from any browser",
                    path.string()));
  const ScratchFolder scratch;
  write_file_atomically(scratch.path() / "report.html", html);
  const int exit_code = wait_for(start(print_command(browser, scratch), scratch.path() / "messages"), browser, stop);
  const std::string pdf = content_of(scratch.path() / "report.pdf");
  const bool whole = pdf.starts_with("%PDF") &&
                     pdf.find("%%EOF", pdf.size() - std::min<std::size_t>(pdf.size(), 64)) != std::string::npos;
  if (exit_code != 0 || !whole) {
    std::string messages = content_of(scratch.path() / "messages");
    if (messages.size() > 500) messages.erase(0, messages.size() - 500);
    throw WorldError(fmt::format("{}: {} printed no PDF (exit {}): {}", path.string(), browser, exit_code, messages));
  }
  write_file_atomically(path, pdf);
}

}  // namespace stallcast
