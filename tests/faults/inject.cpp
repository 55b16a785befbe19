// A library to preload (LD_PRELOAD) that lets calls of the C library fail, as a bad disk or a full one would.
//
// Environment:
//   FAULT_CALLS    which calls, as in "open,write,fsync"; a group of names that differ in letters only is one name:
//                  "open" is open64 and openat too, "create" those that may make or change
//                  it, "cut" is a file that becomes empty when it has been mapped
//   FAULT_PATHS    only of files under these folders, with ':' between; a descriptor counts by the file it is open on
//   FAULT_AT       which of the calls that match is the first to fail, from 1 on
//   FAULT_COUNT    how many fail one after the other from there; 1 when not given
//   FAULT_ERROR    with this errno
//   FAULT_SHORT    instead: half of the bytes are read or written
//   FAULT_SIGNAL   instead: the process gets this signal, and the call is made
//   FAULT_ADD_S    instead, of clock_gettime: so many seconds are added to CLOCK_MONOTONIC and CLOCK_BOOTTIME, from
//                  here on
//   FAULT_NO_RING  when set, the kernel has no io_uring
//   FAULT_LOG      a file to which a line is added for each fault: the call and the file
#if __has_include(<liburing.h>)
#include <liburing.h>
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}
long number(const char* name, long otherwise) {
  const std::string_view text = setting(name);
  return text.empty() ? otherwise : std::strtol(text.data(), nullptr, 10);
}

// Calls `each` for the parts of `list`; whether it returned true for one.
template <class Each>
bool any_part(std::string_view list, char separator, const Each& each) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (each(list.substr(0, end))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_under(std::string_view path) {
  return any_part(setting("FAULT_PATHS"), ':', [&](std::string_view folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
  });
}

void log_fault(std::string_view call, std::string_view path) {
  const std::string_view log = setting("FAULT_LOG");
  if (log.empty()) return;
  const long file = ::syscall(SYS_openat, AT_FDCWD, log.data(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const iovec parts[] = {{const_cast<char*>(call.data()), call.size()},
                         {const_cast<char*>(" "), 1},
                         {const_cast<char*>(path.data()), path.size()},
                         {const_cast<char*>("\n"), 1}};
  ::syscall(SYS_writev, file, parts, 4);
  ::syscall(SYS_close, file);
}

// Whether this call is one that fails.
bool strikes(std::string_view call, std::string_view path) {
  static std::atomic<long> matching = 0;
  const auto is_call = [&](std::string_view name) { return name == call; };
  if (!any_part(setting("FAULT_CALLS"), ',', is_call)) return false;
  if (!path.empty() && !is_under(path)) return false;
  const long first = number("FAULT_AT", 0);
  const long index = ++matching;
  if (first == 0 || index < first || index - first >= number("FAULT_COUNT", 1)) return false;
  log_fault(call, path);
  return true;
}

struct PathOf {
  // Of a descriptor.
  explicit PathOf(int descriptor) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link, text, sizeof text - 1);
    text[std::max(0L, length)] = '\0';
    if (length <= 0) std::strcpy(text, "?");
  }
  // Of a name seen from a folder.
  PathOf(int folder, const char* name) {
    if (name == nullptr) name = "";
    if (name[0] == '/') {
      std::snprintf(text, sizeof text, "%s", name);
    } else if (folder == AT_FDCWD) {
      if (::syscall(SYS_getcwd, text, sizeof text) <= 0) std::strcpy(text, "?");
      add(name);
    } else {
      std::strcpy(text, PathOf(folder).text);
      add(name);
    }
  }
  void add(const char* name) {
    const std::size_t length = std::strlen(text);
    std::snprintf(text + length, sizeof text - length, "/%s", name);
  }
  char text[2 * PATH_MAX];
};

// Does to the process what is asked for instead of an error; false when it is an error.
bool only_signals() {
  const long signal = number("FAULT_SIGNAL", 0);
  if (signal == 0) return false;
  ::syscall(SYS_kill, ::getpid(), signal);
  return true;
}

bool fails(std::string_view call, std::string_view path) {
  if (!strikes(call, path) || only_signals()) return false;
  errno = static_cast<int>(number("FAULT_ERROR", EIO));
  return true;
}
bool fails_on(std::string_view call, int descriptor) { return fails(call, PathOf(descriptor).text); }
bool fails_at(std::string_view call, const char* path) { return fails(call, PathOf(AT_FDCWD, path).text); }

// -1: it fails; else how many bytes it may move.
ssize_t allowed(std::string_view call, int descriptor, std::size_t bytes) {
  if (!strikes(call, PathOf(descriptor).text) || only_signals()) return static_cast<ssize_t>(bytes);
  if (!setting("FAULT_SHORT").empty()) return static_cast<ssize_t>((bytes + 1) / 2);
  errno = static_cast<int>(number("FAULT_ERROR", EIO));
  return -1;
}

template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}
#define NEXT(name)                                     \
  ([] {                                                \
    static const auto function = next(&::name, #name); \
    return function;                                   \
  }())

constexpr int kChanges = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

bool open_fails(int folder, const char* path, int flags) {
  const PathOf full(folder, path);
  if (fails("open", full.text)) return true;
  return (flags & kChanges) != 0 && fails("create", full.text);
}
mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

#define OPEN(name)                                    \
  int name(const char* path, int flags, ...) {        \
    va_list arguments;                                \
    va_start(arguments, flags);                       \
    const mode_t mode = mode_of(flags, arguments);    \
    va_end(arguments);                                \
    if (open_fails(AT_FDCWD, path, flags)) return -1; \
    return NEXT(name)(path, flags, mode);             \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                       \
  int name(int folder, const char* path, int flags, ...) { \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    const mode_t mode = mode_of(flags, arguments);         \
    va_end(arguments);                                     \
    if (open_fails(folder, path, flags)) return -1;        \
    return NEXT(name)(folder, path, flags, mode);          \
  }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name)                                         \
  FILE* name(const char* path, const char* mode) {          \
    const int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY; \
    if (open_fails(AT_FDCWD, path, flags)) return nullptr;  \
    return NEXT(name)(path, mode);                          \
  }
FOPEN(fopen)
FOPEN(fopen64)

DIR* opendir(const char* path) {
  if (fails_at("open", path)) return nullptr;
  return NEXT(opendir)(path);
}

#define READDIR(name, type)                                   \
  type* name(DIR* folder) {                                   \
    if (fails_on("readdir", ::dirfd(folder))) return nullptr; \
    return NEXT(name)(folder);                                \
  }
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

#define MOVE(name, call, buffer_type)                                                      \
  ssize_t name(int descriptor, buffer_type* buffer, std::size_t bytes) {                   \
    const ssize_t most = allowed(#call, descriptor, bytes);                                \
    return most < 0 ? -1 : NEXT(name)(descriptor, buffer, static_cast<std::size_t>(most)); \
  }
MOVE(read, read, void)
MOVE(write, write, const void)

#define MOVE_AT(name, call, buffer_type, offset_type)                                              \
  ssize_t name(int descriptor, buffer_type* buffer, std::size_t bytes, offset_type offset) {       \
    const ssize_t most = allowed(#call, descriptor, bytes);                                        \
    return most < 0 ? -1 : NEXT(name)(descriptor, buffer, static_cast<std::size_t>(most), offset); \
  }
MOVE_AT(pread, read, void, off_t)
MOVE_AT(pread64, read, void, off64_t)
MOVE_AT(pwrite, write, const void, off_t)
MOVE_AT(pwrite64, write, const void, off64_t)

// All or nothing: short counts are those of write().
ssize_t writev(int descriptor, const iovec* parts, int count) {
  if (setting("FAULT_SHORT").empty() && fails_on("write", descriptor)) return -1;
  return NEXT(writev)(descriptor, parts, count);
}

#define DESCRIPTOR(name, call)                  \
  int name(int descriptor) {                    \
    if (fails_on(#call, descriptor)) return -1; \
    return NEXT(name)(descriptor);              \
  }
DESCRIPTOR(fsync, sync)
DESCRIPTOR(fdatasync, sync)

// Linux closes the file even when it reports an error.
int close(int descriptor) {
  const bool failed = fails_on("close", descriptor);
  const int error = errno;
  const int result = NEXT(close)(descriptor);
  if (!failed) return result;
  errno = error;
  return -1;
}

#define TRUNCATE(name, offset_type)                  \
  int name(int descriptor, offset_type length) {     \
    if (fails_on("truncate", descriptor)) return -1; \
    return NEXT(name)(descriptor, length);           \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int fchmod(int descriptor, mode_t mode) {
  if (fails_on("chmod", descriptor)) return -1;
  return NEXT(fchmod)(descriptor, mode);
}
int fchmodat(int folder, const char* path, mode_t mode, int flags) {
  if (fails("chmod", PathOf(folder, path).text)) return -1;
  return NEXT(fchmodat)(folder, path, mode, flags);
}
int flock(int descriptor, int operation) {
  if (fails_on("lock", descriptor)) return -1;
  return NEXT(flock)(descriptor, operation);
}
int mkdir(const char* path, mode_t mode) {
  if (fails_at("mkdir", path)) return -1;
  return NEXT(mkdir)(path, mode);
}
int unlink(const char* path) {
  if (fails_at("unlink", path)) return -1;
  return NEXT(unlink)(path);
}
int rename(const char* from, const char* to) {
  if (fails_at("rename", to)) return -1;
  return NEXT(rename)(from, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (fails("rename", PathOf(to_folder, to).text)) return -1;
  return NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (fails("link", PathOf(to_folder, to).text)) return -1;
  return NEXT(linkat)(from_folder, from, to_folder, to, flags);
}

#define STAT(name, buffer_type)                     \
  int name(const char* path, buffer_type* status) { \
    if (fails_at("stat", path)) return -1;          \
    return NEXT(name)(path, status);                \
  }
STAT(stat, struct stat)
STAT(stat64, struct stat64)
STAT(lstat, struct stat)
STAT(lstat64, struct stat64)

#define FSTAT(name, buffer_type)                  \
  int name(int descriptor, buffer_type* status) { \
    if (fails_on("stat", descriptor)) return -1;  \
    return NEXT(name)(descriptor, status);        \
  }
FSTAT(fstat, struct stat)
FSTAT(fstat64, struct stat64)

// Another process makes the file shorter as soon as it is mapped.
void cut(int descriptor) {
  const PathOf path(descriptor);
  if (strikes("cut", path.text)) ::syscall(SYS_truncate, path.text, 0);
}

#define MMAP(name, offset_type)                                                                                 \
  void* name(void* address, std::size_t bytes, int protection, int flags, int descriptor, offset_type offset) { \
    if (descriptor >= 0 && fails_on("mmap", descriptor)) return MAP_FAILED;                                     \
    void* const place = NEXT(name)(address, bytes, protection, flags, descriptor, offset);                      \
    if (descriptor >= 0) cut(descriptor);                                                                       \
    return place;                                                                                               \
  }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  if (strikes("thread", "")) return static_cast<int>(number("FAULT_ERROR", EAGAIN));
  return NEXT(pthread_create)(thread, attributes, work, argument);
}

int clock_gettime(clockid_t clock, timespec* time) {
  static std::atomic<bool> jumped = false;
  const int result = NEXT(clock_gettime)(clock, time);
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME && clock != CLOCK_REALTIME) return result;
  const bool real = clock == CLOCK_REALTIME;
  if (strikes(real ? "realtime" : "monotonic", "")) jumped = true;
  const bool asked = setting("FAULT_CALLS") == (real ? "realtime" : "monotonic");
  if (jumped && asked) time->tv_sec += number("FAULT_ADD_S", 0);
  return result;
}

#if __has_include(<liburing.h>)
// "uring_submit": the request is not taken. "uring_read": it is of a closed file, or of half as many bytes.
int io_uring_submit(io_uring* ring) {
  if (strikes("uring_submit", "")) return -static_cast<int>(number("FAULT_ERROR", EIO));
  if (strikes("uring_read", "")) {
    io_uring_sqe& request = ring->sq.sqes[(ring->sq.sqe_tail - 1) & *ring->sq.kring_mask];
    if (setting("FAULT_SHORT").empty()) {
      request.fd = -1;
    } else {
      request.len /= 2;
    }
  }
  return NEXT(io_uring_submit)(ring);
}
int io_uring_queue_init(unsigned entries, io_uring* ring, unsigned flags) {
  if (!setting("FAULT_NO_RING").empty()) return -EPERM;
  return NEXT(io_uring_queue_init)(entries, ring, flags);
}
#endif

}  // extern "C"
