#include "core/units/content_hash.h"

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace stallcast {
namespace {

boost::uuids::uuid uuid_of(const std::array<std::uint8_t, 16>& bytes) {
  boost::uuids::uuid out{};
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

void keep(const boost::uuids::uuid& uuid, std::array<std::uint8_t, 16>& bytes) {
  std::copy(uuid.begin(), uuid.end(), bytes.begin());
}

}  // namespace

ContentHash::ContentHash() { keep(boost::uuids::ns::oid(), uuid_); }

void ContentHash::add(std::string_view text) {
  keep(boost::uuids::name_generator_sha1(uuid_of(uuid_))(text.data(), text.size()), uuid_);
}

std::string ContentHash::text() const { return boost::uuids::to_string(uuid_of(uuid_)); }

std::string content_hash(std::string_view text) {
  ContentHash hash;
  hash.add(text);
  return hash.text();
}

}  // namespace stallcast
