// What object stores answer and the profile files of their tools.
#include "core/object_probe/http/object_url.h"
#include "core/object_probe/http/profile_file.h"
#include "core/object_probe/http/s3_answer.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/readers.h"

namespace stallcast::fuzz {
namespace {

void read_s3(std::string_view content) {
  const std::string xml(content);
  (void)parse_s3_list(xml);
  (void)parse_s3_error(xml);
  require(byte_count(content) >= -1.0, "a negative number of bytes");
}

void read_profiles_text(std::string_view content) { (void)read_profiles(file_of(content, "config")); }

// What is shown of a URL holds no password.
void read_url(std::string_view content) {
  const std::string text(content);
  (void)shown_url(text);
  (void)server_of(text);
  require(percent_decoded(percent_encoded(text, false)) == text, "a key that does not come back");
  const Loaded<ObjectUrl> url = parse_object_url(text);
  check_loaded(url);
  if (!url.ok() || url.value->password.empty()) return;
  const std::string& shown = url.value->shown;  // the path may hold an "@" of its own
  require(shown.find('@') >= shown.find('/', shown.find("://") + 3), "a password that is shown");
}

}  // namespace

std::vector<Reader> store_readers() {
  return {{"s3_answer", read_s3}, {"profiles", read_profiles_text}, {"object_url", read_url}};
}

}  // namespace stallcast::fuzz
