#include "cli/shell/last_resort.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "cli/shell/environment.h"

namespace stallcast {
namespace {

constexpr std::size_t kReserve = std::size_t{1} << 20;
std::atomic<void*> reserve = nullptr;  // only a handler without arguments is told of a lack of memory

// Where the stack cannot grow any more there is nobody left to tell: as much as is ever needed is taken now.
[[gnu::noinline]] void take_stack() {
  constexpr std::size_t kStack = std::size_t{1} << 20, kPage = 4096;
  volatile char room[kStack];
  for (std::size_t i = 0; i < kStack; i += kPage) room[kStack - 1 - i] = 0;
  (void)room[0];
}

void let_go_of_reserve() {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): no operator delete while memory is short
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

// What follows is called where nothing is left, or in a signal handler: no allocation, no stream, nothing of the C
// library beyond signal-safety(7).

void say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::terminate_handler otherwise = nullptr;

// A destructor that allocates (those of nested JSON do) may find no memory and has nobody to tell.
[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr failure = std::current_exception()) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    say(kOutOfMemory);
    ::_exit(kExitWorldTrouble);
  } catch (...) {
  }
  otherwise();
  std::abort();
}

std::uintptr_t hexadecimal(std::string_view& text) {
  std::uintptr_t value = 0;
  while (!text.empty()) {
    const char c = text.front();
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    value = value * 16 + static_cast<std::uintptr_t>(digit);
    text.remove_prefix(1);
  }
  return value;
}

// The file of a line of /proc/self/maps (proc(5): "from-to rwxp offset device inode    /path") that holds `address`.
std::string_view file_at(std::string_view line, std::uintptr_t address) {
  const std::uintptr_t from = hexadecimal(line);
  line.remove_prefix(line.empty() ? 0 : 1);
  const std::uintptr_t to = hexadecimal(line);
  const std::size_t path = line.find('/');
  return address >= from && address < to && path != std::string_view::npos ? line.substr(path) : std::string_view();
}

void say_file_at(std::uintptr_t address) {
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  std::array<char, 8192> line{};  // longer than a path may be
  std::size_t length = 0;
  for (char c = 0; maps >= 0 && ::read(maps, &c, 1) == 1;) {
    if (c != '\n') {
      if (length < line.size()) line[length++] = c;
      continue;
    }
    const std::string_view file = file_at({line.data(), length}, address);
    if (!file.empty()) return say(file);
    length = 0;
  }
  say("a file");
}

void on_lost_mapping(int /*number*/, siginfo_t* info, void* /*context*/) {
  say("stallcast: ");
  say_file_at(reinterpret_cast<std::uintptr_t>(info->si_addr));
  say(": cannot be read: it became shorter while it was in use, or its disk failed\n");
  ::_exit(kExitWorldTrouble);
}

}  // namespace

void survive_lack_of_memory() {
  take_stack();
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): as it is given back
  reserve = std::malloc(kReserve);
  std::set_new_handler(let_go_of_reserve);
  otherwise = std::set_terminate(on_terminate);
}

void explain_lost_mappings() {
  struct sigaction action = {};
  action.sa_sigaction = on_lost_mapping;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace stallcast
