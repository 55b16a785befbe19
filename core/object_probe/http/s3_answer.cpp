#include "core/object_probe/http/s3_answer.h"

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>  // header-only and at hand with Boost; yaml-cpp and JSON read no XML
#include <cctype>
#include <charconv>
#include <cstdint>
#include <sstream>

#include "core/object_probe/http/object_url.h"

namespace stallcast {
namespace {

using Tree = boost::property_tree::ptree;

// The parser recurses; answers of S3 are four elements deep.
bool is_shallow(const std::string& xml) {
  constexpr int kDeepest = 32;
  int depth = 0;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const char next = at + 1 < xml.size() ? xml[at + 1] : '\0';
    if (next == '/')
      --depth;
    else if (next != '?' && next != '!') {
      const std::size_t end = xml.find('>', at);
      if (end == std::string::npos || xml[end - 1] != '/') ++depth;
    }
    if (depth > kDeepest) return false;
  }
  return true;
}

std::optional<Tree> parse_xml(const std::string& xml) {
  if (xml.empty() || !is_shallow(xml)) return std::nullopt;
  std::istringstream stream(xml);
  Tree tree;
  try {
    boost::property_tree::read_xml(stream, tree);
  } catch (const boost::property_tree::xml_parser_error&) {
    return std::nullopt;
  }
  return tree;
}

// Keys of a list are encoded as in forms: a blank is "+".
std::string decoded_key(std::string key) {
  std::replace(key.begin(), key.end(), '+', ' ');
  return percent_decoded(key);
}

std::string text_at(const Tree& tree, const char* name) { return tree.get<std::string>(name, ""); }

}  // namespace

std::optional<S3ListPage> parse_s3_list(const std::string& xml) {
  const std::optional<Tree> tree = parse_xml(xml);
  if (!tree) return std::nullopt;
  const auto list = tree->get_child_optional("ListBucketResult");
  if (!list) return std::nullopt;
  const bool encoded = text_at(*list, "EncodingType") == "url";
  S3ListPage page;
  for (const auto& [name, entry] : *list) {
    if (name != "Contents") continue;
    const std::string key = text_at(entry, "Key");
    page.objects.push_back(
        {encoded ? decoded_key(key) : key, byte_count(text_at(entry, "Size")), text_at(entry, "StorageClass")});
  }
  if (text_at(*list, "IsTruncated") == "true") page.next = text_at(*list, "NextContinuationToken");
  return page;
}

S3Error parse_s3_error(const std::string& xml) {
  const std::optional<Tree> tree = parse_xml(xml);
  if (!tree) return {};
  const auto error = tree->get_child_optional("Error");
  if (!error) return {};
  return {plain_word(text_at(*error, "Code")), plain_word(text_at(*error, "Region"))};
}

double byte_count(std::string_view text) {
  std::uint64_t bytes = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return problem == std::errc() && end == text.data() + text.size() ? static_cast<double>(bytes) : -1.0;
}

std::string plain_word(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  const bool plain = text.size() <= kLongest && std::all_of(text.begin(), text.end(), [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '-';
                     });
  return plain ? std::string(text) : "";
}

}  // namespace stallcast
