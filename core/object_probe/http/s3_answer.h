// What S3-speaking stores answer in XML: pages of a list, and errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stallcast {

struct StoredObject {
  std::string key;
  double bytes = 0.0;
  std::string storage_class;  // "STANDARD", "GLACIER", ...; "" = not said
};

struct S3ListPage {
  std::vector<StoredObject> objects;
  std::string next;  // continuation token, "" = this was the last page
};

// Nothing when the text is no ListBucketResult.
std::optional<S3ListPage> parse_s3_list(const std::string& xml);

struct S3Error {
  std::string code;    // "NoSuchBucket"; letters and digits only; "" = the answer was no S3 error
  std::string region;  // that the store wants instead, where it says so; letters, digits and '-' only
};

S3Error parse_s3_error(const std::string& xml);

// A number of bytes as HTTP and S3 write one; -1 = not known: `text` is anything else.
double byte_count(std::string_view text);

// `text` when it is a word of letters, digits and '-' of reasonable length, else "": what servers say is not shown as
// is.
std::string plain_word(std::string_view text);

}  // namespace stallcast
