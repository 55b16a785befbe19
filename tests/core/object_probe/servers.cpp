#include "tests/core/object_probe/servers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace stallcast::testing {
namespace {

bool within(double seconds, const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Does not return.
void become(const std::vector<std::string>& command, const std::string& output) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(127);
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "stallcast_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ServerProcess::ServerProcess(const std::vector<std::string>& command, const std::filesystem::path& folder)
    : output_(folder / "server_output.txt") {
  const std::string output = output_.string();
  pid_ = fork();
  if (pid_ == 0) become(command, output);
  setpgid(pid_, pid_);
}

ServerProcess::~ServerProcess() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool ServerProcess::runs() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

std::string ServerProcess::output() const {
  std::ifstream file(output_);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<int> ServerProcess::number_after(const std::string& words) const {
  std::optional<int> number;
  within(20.0, [&] {
    const std::string text = output();
    const std::size_t at = text.find(words);
    if (at != std::string::npos && text.find('\n', at) != std::string::npos)
      number = std::atoi(text.c_str() + at + words.size());
    return number.has_value() || !runs();
  });
  return number;
}

bool ServerProcess::listens(int port) const {
  bool listening = false;
  within(20.0, [&] {
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = loopback(port);
    listening = connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(descriptor);
    return listening || !runs();
  });
  return listening && runs();
}

int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof(address);
  bind(descriptor, reinterpret_cast<sockaddr*>(&address), length);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length);
  close(descriptor);
  return ntohs(address.sin_port);
}

std::optional<std::string> program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string folders = std::string(path != nullptr ? path : "") + ":/usr/sbin:/sbin:/usr/local/sbin";
  for (std::size_t at = 0; at < folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::filesystem::path candidate = std::filesystem::path(folders.substr(at, end - at)) / name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
    at = end + 1;
  }
  return std::nullopt;
}

int run_quietly(const std::vector<std::string>& command) {
  const pid_t pid = fork();
  if (pid == 0) become(command, "/dev/null");
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

CleanEnvironment::CleanEnvironment() {
  for (const char* name : {"AWS_ACCESS_KEY_ID",   "AWS_SECRET_ACCESS_KEY",
                           "AWS_SESSION_TOKEN",   "AWS_PROFILE",
                           "AWS_DEFAULT_PROFILE", "AWS_SHARED_CREDENTIALS_FILE",
                           "AWS_CONFIG_FILE",     "AWS_REGION",
                           "AWS_DEFAULT_REGION",  "AWS_ENDPOINT_URL_S3",
                           "AWS_ENDPOINT_URL",    "AWS_CA_BUNDLE",
                           "GS_ACCESS_KEY_ID",    "GS_SECRET_ACCESS_KEY",
                           "BOTO_CONFIG",         "STORAGE_EMULATOR_HOST",
                           "CURL_CA_BUNDLE",      "SSL_CERT_FILE",
                           "SSL_CERT_DIR",        "http_proxy",
                           "https_proxy",         "HTTPS_PROXY",
                           "all_proxy",           "ALL_PROXY"})
    unset(name);
  set("HOME", home_.path().string());
}

CleanEnvironment::~CleanEnvironment() {
  for (const auto& [name, value] : before_) {
    if (value)
      setenv(name.c_str(), value->c_str(), 1);
    else
      unsetenv(name.c_str());
  }
}

void CleanEnvironment::remember(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  before_.emplace(name, value != nullptr ? std::optional<std::string>(value) : std::nullopt);
}

void CleanEnvironment::set(const std::string& name, const std::string& value) {
  remember(name);
  setenv(name.c_str(), value.c_str(), 1);
}

void CleanEnvironment::unset(const std::string& name) {
  remember(name);
  unsetenv(name.c_str());
}

}  // namespace stallcast::testing
