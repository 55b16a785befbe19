#include "core/object_probe/http/s3_settings.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>

#include "core/diagnostics/finding.h"
#include "core/object_probe/http/profile_file.h"

namespace stallcast {
namespace {

using Section = std::map<std::string, std::string>;

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value != nullptr ? value : "";
}

std::string first_set(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = environment(name); !value.empty()) return value;
  return {};
}

std::string value_of(const Section& section, const char* key) {
  const auto found = section.find(key);
  return found != section.end() ? found->second : "";
}

// The variable's path, or `below_home` in the home directory.
std::filesystem::path file_named(const char* variable, const char* below_home) {
  if (const std::string path = environment(variable); !path.empty()) return path;
  const std::string home = environment("HOME");
  return home.empty() ? std::filesystem::path() : std::filesystem::path(home) / below_home;
}

void check_complete(const S3Credentials& key, const char* id_name, const char* secret_name) {
  if (key.access_key_id.empty() == key.secret_access_key.empty()) return;
  const bool has_id = !key.access_key_id.empty();
  throw WorldError(fmt::format("{} has {} but no {}: set both, or neither for a public bucket", key.origin,
                               has_id ? id_name : secret_name, has_id ? secret_name : id_name));
}

// `token_name` may be null.
std::optional<S3Credentials> from_environment(const char* id_name, const char* secret_name, const char* token_name) {
  const std::string token = token_name != nullptr ? environment(token_name) : "";
  S3Credentials key{environment(id_name), environment(secret_name), token, "the environment"};
  if (key.access_key_id.empty() && key.secret_access_key.empty()) return std::nullopt;
  check_complete(key, id_name, secret_name);
  return key;
}

std::optional<S3Credentials> from_section(const Section& section, const std::string& origin) {
  S3Credentials key{value_of(section, "aws_access_key_id"), value_of(section, "aws_secret_access_key"),
                    value_of(section, "aws_session_token"), origin};
  if (key.access_key_id.empty() && key.secret_access_key.empty()) return std::nullopt;
  check_complete(key, "aws_access_key_id", "aws_secret_access_key");
  return key;
}

// A profile of AWS: its section in the file of keys and its section in the file of settings.
struct AwsProfile {
  std::string name;
  bool named = false;  // by the user
  std::filesystem::path credentials_path, config_path;
  Section credentials, config;
};

AwsProfile read_aws_profile() {
  AwsProfile profile;
  profile.name = first_set({"AWS_PROFILE", "AWS_DEFAULT_PROFILE"});
  profile.credentials_path = file_named("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
  profile.config_path = file_named("AWS_CONFIG_FILE", ".aws/config");
  profile.named = !profile.name.empty();
  if (!profile.named) profile.name = "default";
  ProfileSections credentials = read_profiles(profile.credentials_path);
  ProfileSections config = read_profiles(profile.config_path);
  const std::string config_section = profile.name == "default" ? profile.name : "profile " + profile.name;
  if (profile.named && !credentials.contains(profile.name) && !config.contains(config_section))
    throw WorldError(fmt::format("AWS_PROFILE names \"{}\", which is neither in {} nor in {}", profile.name,
                                 profile.credentials_path.string(), profile.config_path.string()));
  profile.credentials = credentials[profile.name];
  profile.config = config[config_section];
  return profile;
}

// What leads to a key only through a program or a service that stallcast does not ask.
std::string way_to_a_key(const Section& config) {
  constexpr std::array<const char*, 5> ways = {"sso_session", "sso_start_url", "role_arn", "credential_process",
                                               "web_identity_token_file"};
  for (const char* way : ways)
    if (config.contains(way)) return way;
  return {};
}

S3Credentials aws_credentials(const AwsProfile& profile) {
  if (auto key = from_environment("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")) return *key;
  const auto origin = [&](const std::filesystem::path& path) {
    return fmt::format("profile {} of {}", profile.name, path.string());
  };
  if (auto key = from_section(profile.credentials, origin(profile.credentials_path))) return *key;
  if (auto key = from_section(profile.config, origin(profile.config_path))) return *key;
  if (const std::string way = way_to_a_key(profile.config); !way.empty())
    throw WorldError(
        fmt::format("{} has no key but {}, which stallcast does not follow: run\n"
                    "  eval \"$(aws configure export-credentials --profile {} --format env)\"\nfirst",
                    origin(profile.config_path), way, profile.name));
  return {};
}

S3Settings aws_settings() {
  const AwsProfile profile = read_aws_profile();
  S3Settings settings;
  settings.credentials = aws_credentials(profile);
  settings.region = first_set({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (settings.region.empty()) settings.region = value_of(profile.config, "region");
  settings.region_given = !settings.region.empty();
  if (!settings.region_given) settings.region = "us-east-1";
  settings.endpoint = first_set({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (settings.endpoint.empty()) settings.endpoint = value_of(profile.config, "endpoint_url");
  return settings;
}

S3Settings google_settings() {
  S3Settings settings;
  settings.region = "auto";
  settings.region_given = true;
  settings.endpoint = environment("STORAGE_EMULATOR_HOST");
  if (auto key = from_environment("GS_ACCESS_KEY_ID", "GS_SECRET_ACCESS_KEY", nullptr)) {
    settings.credentials = *key;
    return settings;
  }
  const std::filesystem::path path = file_named("BOTO_CONFIG", ".boto");
  const Section section = read_profiles(path)["Credentials"];
  S3Credentials key{value_of(section, "gs_access_key_id"), value_of(section, "gs_secret_access_key"), "",
                    "[Credentials] of " + path.string()};
  check_complete(key, "gs_access_key_id", "gs_secret_access_key");
  if (!key.anonymous()) settings.credentials = std::move(key);
  return settings;
}

}  // namespace

S3Settings find_s3_settings(ProbeTarget kind) { return kind == ProbeTarget::kGcs ? google_settings() : aws_settings(); }

}  // namespace stallcast
