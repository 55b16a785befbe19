#include "tests/faults/program_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace stallcast::faults {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> variables_of(const Invocation& invocation, const fs::path& aside) {
  std::map<std::string, std::string> all = invocation.environment;
  all["TMPDIR"] = invocation.folder.string();
  const Fault& fault = invocation.fault;
  all.emplace("FAULT_PATHS", invocation.folder.string());
  if (fault.calls.empty()) return all;
  all["LD_PRELOAD"] = STALLCAST_PRELOADED;
  all["FAULT_CALLS"] = fault.calls;
  all["FAULT_AT"] = std::to_string(fault.at);
  all["FAULT_COUNT"] = std::to_string(fault.count);
  all["FAULT_LOG"] = (aside / "faults").string();
  if (fault.error != 0) all["FAULT_ERROR"] = std::to_string(fault.error);
  if (fault.shorten) all["FAULT_SHORT"] = "1";
  if (fault.signal != 0) all["FAULT_SIGNAL"] = std::to_string(fault.signal);
  return all;
}

void send_to(int descriptor, const fs::path& file) {
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

void direct_output(const std::string& to, const fs::path& aside) {
  if (to == "closed") {
    ::close(STDOUT_FILENO);
  } else if (to == "no reader") {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) ::_exit(126);
    ::close(ends[0]);
  } else {
    send_to(STDOUT_FILENO, to.empty() ? aside / "out" : fs::path(to));
  }
}

// In the child: becomes the program.
[[noreturn]] void become(const Invocation& invocation, const fs::path& aside, char** argv) {
  constexpr unsigned kLongest_s = 60;
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(SIGPIPE, SIG_DFL);
  ::alarm(kLongest_s);
  for (const auto& [name, value] : variables_of(invocation, aside)) ::setenv(name.c_str(), value.c_str(), 1);
  if (::chdir(invocation.folder.c_str()) != 0) ::_exit(126);
  send_to(STDERR_FILENO, aside / "err");
  direct_output(invocation.out_to, aside);
  const auto most = static_cast<rlim_t>(invocation.address_space);
  const rlimit memory = {most, most};
  if (most > 0) ::setrlimit(RLIMIT_AS, &memory);
  ::execv(argv[0], argv);
  ::_exit(127);
}

}  // namespace

Started start_program(const Invocation& invocation, const fs::path& aside) {
  std::vector<std::string> words = invocation.words;
  words.insert(words.begin(), STALLCAST_PROGRAM);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) become(invocation, aside, argv.data());
  return {child, aside};
}

Ended end_of(const Started& started) {
  int status = 0;
  ::waitpid(started.pid, &status, 0);
  Ended ended;
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  ended.out = content_of(started.aside / "out");
  ended.err = content_of(started.aside / "err");
  std::ifstream faults(started.aside / "faults");
  for (std::string line; std::getline(faults, line);) ended.met.push_back(line);
  return ended;
}

bool has_ended(const Started& started) {
  siginfo_t info = {};
  const auto pid = static_cast<id_t>(started.pid);
  return ::waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

void wait_until(const Started& started, const std::function<bool()>& condition) {
  while (!condition() && !has_ended(started)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// proc(5), exe and SigBlk. A child that is not the program yet may have signals blocked, too: a sanitizer's fork does.
void wait_until_it_watches_for_signals(const Started& started) {
  const fs::path process = "/proc/" + std::to_string(started.pid);
  wait_until(started, [&] {
    std::error_code gone;
    if (!fs::equivalent(process / "exe", STALLCAST_PROGRAM, gone)) return false;
    std::ifstream status(process / "status");
    for (std::string word; status >> word;) {
      if (word != "SigBlk:") continue;
      status >> word;
      return (std::stoull(word, nullptr, 16) >> (SIGTERM - 1) & 1U) != 0;
    }
    return false;
  });
}

Ended run_program(const Invocation& invocation) {
  const Folder aside;
  return end_of(start_program(invocation, aside.path()));
}

std::string content_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "stallcast-faults-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error(name);
  path_ = fs::canonical(name);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace stallcast::faults
