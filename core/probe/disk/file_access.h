// Opening files to measure them: never a pipe or a device, never a change to them.
#pragma once

#include <cstdint>
#include <string>

#include "core/probe/disk/read_engine.h"

namespace stallcast {

// A descriptor that is closed with its owner.
class OwnedFile {
 public:
  explicit OwnedFile(OpenFile file) : file_(file) {}
  OwnedFile(OwnedFile&& other) noexcept : file_(other.file_) { other.file_.descriptor = -1; }
  OwnedFile(const OwnedFile&) = delete;
  OwnedFile& operator=(const OwnedFile&) = delete;
  OwnedFile& operator=(OwnedFile&&) = delete;
  ~OwnedFile();
  const OpenFile& get() const { return file_; }

 private:
  OpenFile file_;
};

// Opens a regular file for reading, past the page cache if `direct`. Does not wait for the other end of a pipe and
// does not touch the time of last access where that is allowed. Gives errno, or 0 and `file`; ENOTSUP for what is no
// regular file, EINVAL where the file system has no direct reads.
int open_regular(const std::string& path, bool direct, OpenFile& file);

// Lets the page cache forget `file`, where nobody else holds it there.
void drop_from_cache(const OpenFile& file);

// Tells the kernel how `file` will be read: at random, so nothing but what is asked for; in sequence, so far ahead; as
// a stream, so as far ahead as it goes for a program that says nothing, which loaders do not.
void advise(const OpenFile& file, AccessPattern pattern);

// Of up to `looks` pages of `file` at positions drawn from `seed`, the share that the page cache holds; < 0 when the
// kernel does not tell. A page that is not there may be fetched by looking.
double look_for_cached(const OpenFile& file, int looks, std::uint64_t seed);

}  // namespace stallcast
