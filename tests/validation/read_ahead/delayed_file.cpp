// A file system with one file, "file", whose every read is answered after a fixed time: what of it Linux has on its way
// at a time tells how far it reads ahead.
//
//     g++ -O2 delayed_file.cpp -o delayed_file $(pkg-config --cflags --libs fuse3)
//     ./delayed_file FOLDER SECONDS READ_AHEAD_KB    mounts it, until it is unmounted; says what was asked for
#define FUSE_USE_VERSION 35
#include <fuse3/fuse_lowlevel.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr off_t kSize = off_t{512} << 20;
constexpr double kKept = 1e6;  // seconds that attributes are good for
constexpr fuse_ino_t kFile = 2;

std::chrono::duration<double> wait{};
unsigned read_ahead = 0;
std::vector<char> zeros(std::size_t{8} << 20);
std::atomic<long> reads{0}, bytes{0}, under_way{0}, sum_under_way{0};

struct stat status_of(fuse_ino_t node) {
  struct stat status {};
  status.st_ino = node;
  status.st_mode = node == kFile ? S_IFREG | 0444 : S_IFDIR | 0755;
  status.st_nlink = 1;
  status.st_size = node == kFile ? kSize : 0;
  return status;
}

void init(void*, fuse_conn_info* connection) {
  connection->max_readahead = read_ahead;
  connection->want |= FUSE_CAP_ASYNC_READ;
}

void lookup(fuse_req_t request, fuse_ino_t, const char* name) {
  if (std::strcmp(name, "file") != 0) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fuse_entry_param entry{};
  entry.ino = kFile;
  entry.attr_timeout = entry.entry_timeout = kKept;
  entry.attr = status_of(kFile);
  fuse_reply_entry(request, &entry);
}

void attributes(fuse_req_t request, fuse_ino_t node, fuse_file_info*) {
  const struct stat status = status_of(node);
  fuse_reply_attr(request, &status, kKept);
}

void read(fuse_req_t request, fuse_ino_t, std::size_t size, off_t at, fuse_file_info*) {
  sum_under_way += ++under_way;
  ++reads;
  bytes += static_cast<long>(size);
  std::this_thread::sleep_for(wait);
  --under_way;
  const off_t left = at < kSize ? kSize - at : 0;
  fuse_reply_buf(request, zeros.data(), std::min<std::size_t>(size, static_cast<std::size_t>(left)));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  wait = std::chrono::duration<double>(std::atof(arguments[2]));
  read_ahead = 1024U * static_cast<unsigned>(std::atoi(arguments[3]));
  fuse_lowlevel_ops operations{};
  operations.init = init;
  operations.lookup = lookup;
  operations.getattr = attributes;
  operations.read = read;
  fuse_args options{1, arguments, 0};
  fuse_session* session = fuse_session_new(&options, &operations, sizeof(operations), nullptr);
  if (session == nullptr || fuse_session_mount(session, arguments[1]) != 0) return 1;
  fuse_loop_config loop{};
  loop.max_idle_threads = 64;
  const int failed = fuse_session_loop_mt(session, &loop);
  fuse_session_unmount(session);
  const double asked = static_cast<double>(std::max(1L, reads.load()));
  std::printf("%ld reads of %.0f bytes, %.2f on their way when one comes\n", reads.load(),
              static_cast<double>(bytes.load()) / asked, static_cast<double>(sum_under_way.load()) / asked);
  return failed;
}
