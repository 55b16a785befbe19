// The program: what only a process has (signals, terminals, descriptors) around run_cli().
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>

#include "cli/run_cli.h"
#include "cli/shell/descriptor_buffer.h"
#include "cli/shell/last_resort.h"

namespace {

// A closed descriptor would be handed to the next file opened, and results would go into it.
void fill_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // Opened for reading only, so that a write to a closed standard output is an error and not lost.
    if (::open("/dev/null", O_RDONLY) != descriptor) std::_Exit(stallcast::kExitWorldTrouble);
  }
}

bool is_utf8_locale() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    const std::string name = value;
    return name.find("UTF-8") != std::string::npos || name.find("utf8") != std::string::npos ||
           name.find("utf-8") != std::string::npos;
  }
  return false;
}

// NO_COLOR: see no-color.org.
bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string(terminal) != "dumb");
}

// The first interrupt asks the command to end with what it has; the second ends the process. What asks a whole process
// group to end may send a signal to the process and to its group (timeout of GNU coreutils does): that is one.
class InterruptWatch {
 public:
  InterruptWatch() {
    ::sigemptyset(&signals_);
    for (const int number : {SIGINT, SIGTERM, kWakeUp}) ::sigaddset(&signals_, number);
    if (!is_ignored(SIGHUP)) ::sigaddset(&signals_, SIGHUP);  // under nohup it is
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);         // inherited by every thread started later
    watcher_ = std::thread([this] { watch(); });
  }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch() {
    ::pthread_kill(watcher_.native_handle(), kWakeUp);
    watcher_.join();
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  static constexpr int kWakeUp = SIGUSR2;
  static constexpr std::chrono::milliseconds kOneInterrupt{100};

  static bool is_ignored(int number) {
    struct sigaction now = {};
    return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
  }

  void watch() {
    std::chrono::steady_clock::time_point first;
    int number = 0;
    while (::sigwait(&signals_, &number) == 0 && number != kWakeUp) {
      const auto now = std::chrono::steady_clock::now();
      if (source_.stop_requested() && now - first > kOneInterrupt) std::_Exit(128 + number);
      if (source_.request_stop()) first = now;
    }
  }

  sigset_t signals_{};
  std::stop_source source_;
  std::thread watcher_;
};

int run(int argc, char** argv) {
  const InterruptWatch interrupts;
  stallcast::DescriptorBuffer standard_output(STDOUT_FILENO);
  std::ostream out(&standard_output);
  return stallcast::run_cli(argc, argv,
                            {.out = out,
                             .err = std::cerr,
                             .err_is_terminal = ::isatty(STDERR_FILENO) != 0,
                             .in = ::isatty(STDIN_FILENO) != 0 ? &std::cin : nullptr,
                             .style = {.unicode = is_utf8_locale(), .colour = wants_colour()},
                             .stop = interrupts.token()});
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  (void)::signal(SIGPIPE, SIG_IGN);  // a reader that went away is seen as EPIPE
  (void)::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow further (ulimit -f) as EFBIG
  stallcast::survive_lack_of_memory();
  stallcast::explain_lost_mappings();
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {  // no thread to watch for interrupts
    std::cerr << "stallcast: cannot be started: " << error.what() << "\n";
    return stallcast::kExitWorldTrouble;
  }
}
