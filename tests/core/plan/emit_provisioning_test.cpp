#include "core/plan/emit/emit_provisioning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "tests/core/plan/base_file.h"
#include "tests/core/plan/run_tool.h"
#include "tests/temporary_folder.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

const char* const kHostile = "a'b\"c $(touch /tmp/stallcast_pwned) `id` ${HOME} %{if}\n# \\ ; rm -rf x";

ResolvedScenario order_of(const TierRecord* tier, const InstanceRecord* instance) {
  ResolvedScenario r;
  r.scenario.name = "UNet3D on 4 nodes";
  r.scenario.cluster.nodes = 4;
  if (tier != nullptr) {
    r.records.storage = *tier;
    r.scenario.storage.tier = tier->name;
    r.scenario.storage.capacity = tier->capacity_min ? tier->capacity_min->value : bytes(1099511627776.0);
  }
  if (instance != nullptr) {
    r.records.instance = *instance;
    r.scenario.cluster.instance = instance->name;
  }
  return r;
}

ResolvedScenario order_of(const std::string& tier, const std::string& instance) {
  const Catalogue& c = shipped_catalogue();
  return order_of(&c.tiers.at(tier), &c.instances.at(instance));
}

// Every tier with every host of its cloud, and with those of the others.
std::vector<ResolvedScenario> whole_catalogue() {
  std::vector<ResolvedScenario> all;
  for (const auto& [name, tier] : shipped_catalogue().tiers) {
    std::set<std::string> seen;
    for (const auto& [host, instance] : shipped_catalogue().instances) {
      const bool first_of_cloud = seen.insert(instance.provider).second;
      if (instance.provider == tier.provider || first_of_cloud) all.push_back(order_of(&tier, &instance));
    }
  }
  return all;
}

TEST(EmitProvisioning, EveryTierOfACloudIsOrdered) {
  for (const auto& [name, tier] : shipped_catalogue().tiers) {
    StorageSpec storage;
    storage.tier = tier.name;
    const StorageOrder order = storage_order(storage);
    if (tier.provider == "gcp" || tier.provider == "aws" || tier.provider == "azure") {
      EXPECT_NE(order.service, StorageService::kNone) << tier.name;
      EXPECT_EQ(order.cloud, tier.provider) << tier.name;
    } else {
      EXPECT_TRUE(order.service == StorageService::kNone || order.service == StorageService::kInMachine) << tier.name;
      EXPECT_FALSE(provisioning_gaps(order_of(&tier, nullptr)).empty());
    }
  }
}

// 100 TiB of Parallelstore are sold as 100000 GiB; all others count real GiB or TiB.
TEST(EmitProvisioning, CapacityIsCountedAsTheInterfaceDoes) {
  const auto capacity = [](const char* tier, double tib) {
    StorageSpec storage;
    storage.tier = tier;
    storage.capacity = bytes(tib * 1099511627776.0);
    return storage_order(storage).capacity;
  };
  EXPECT_EQ(capacity("parallelstore", 100.0), 100000);
  EXPECT_EQ(capacity("filestore_zonal", 10.0), 10240);
  EXPECT_EQ(capacity("managed_lustre_1000", 9000.0 / 1024.0), 9000);
  EXPECT_EQ(capacity("fsx_lustre_persistent_2_125", 1200.0 / 1024.0), 1200);
  EXPECT_EQ(capacity("azure_managed_lustre_125", 16.0), 16);
  EXPECT_EQ(capacity("efs", 16.0), 0);
}

TEST(EmitProvisioning, EveryScriptOfTheCatalogueIsShell) {
  namespace fs = std::filesystem;
  const fs::path folder = temporary_folder() / "stallcast_emitted_scripts";
  fs::remove_all(folder);
  fs::create_directories(folder);
  int scripts = 0;
  for (ResolvedScenario& order : whole_catalogue()) {
    order.scenario.name += kHostile;
    for (const HostPricing pricing : {HostPricing::kSpot, HostPricing::kReserved1Year}) {
      order.scenario.cost.pricing = pricing;
      for (const char* const cloud : {"gcp", "aws", "azure"})
        if (const auto script = provisioning_script(order, cloud))
          std::ofstream(folder / std::to_string(scripts++)) << script->text;
    }
  }
  EXPECT_GT(scripts, 1000);
  const std::string check = "for f in '" + folder.string() + "'/*; do bash -n \"$f\" || exit 1; done";
  EXPECT_EQ(std::system(check.c_str()), 0);
  fs::remove_all(folder);
}

// The script run with commands that only print what they were given, each argument on a line.
std::string what_is_run(const std::string& script, const std::string& variables) {
  namespace fs = std::filesystem;
  // Of this test alone: tests run beside each other, and a program that is written cannot be run.
  const fs::path folder =
      temporary_folder() /
      ("stallcast_fake_cloud_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
  fs::create_directories(folder);
  for (const char* const tool : {"gcloud", "aws", "az"}) {
    const std::string said = std::string(tool) == "aws"
                                 ? "case \"$*\" in *FileSystemId*) echo fs-1;; *LifeCycle*) echo "
                                   "available;; esac\n"
                                 : "";
    std::ofstream(folder / tool) << "#!/bin/sh\nprintf '%s\\n' " << tool << " \"$@\" >&2\n" << said;
    fs::permissions(folder / tool, fs::perms::owner_all);
  }
  return run_tool("env -i PATH='" + folder.string() + "':/usr/bin:/bin " + variables + " bash", script).output;
}

TEST(EmitProvisioning, GoogleGetsTheseArguments) {
  ResolvedScenario order = order_of("parallelstore", "a3-highgpu-8g");
  order.scenario.storage.capacity = bytes(100.0 * 1099511627776.0);
  order.scenario.cost.pricing = HostPricing::kSpot;
  const std::string script = provisioning_script(order, "gcp")->text;
  const std::string run =
      what_is_run(script, "PROJECT=p ZONE=us-central1-a NETWORK='my net' SUBNET=s IMAGE_PROJECT=i IMAGE_FAMILY=f");
  EXPECT_THAT(run, HasSubstr("gcloud\nparallelstore\ninstances\ncreate\nunet3d-on-4-nodes-data\n--project=p\n"
                             "--location=us-central1-a\n--network=my net\n--capacity-gib=100000\n"));
  EXPECT_THAT(run, HasSubstr("--name-pattern=unet3d-on-4-nodes-####\n--count=4\n--machine-type=a3-highgpu-8g\n"));
  EXPECT_THAT(run, HasSubstr("--provisioning-model=SPOT\n"));
}

TEST(EmitProvisioning, AmazonGetsTheseArguments) {
  ResolvedScenario order = order_of("fsx_lustre_persistent_2_250", "p5.48xlarge");
  const std::string variables = "AWS_REGION=us-east-1 SUBNET_ID=subnet-1 SECURITY_GROUP_ID=sg-1 IMAGE_ID=ami-1";
  const std::string run = what_is_run(provisioning_script(order, "aws")->text, variables);
  EXPECT_THAT(run, HasSubstr("--storage-capacity\n1200\n"));
  EXPECT_THAT(run, HasSubstr("DeploymentType=PERSISTENT_2,PerUnitStorageThroughput=250\n"));
  EXPECT_THAT(run, HasSubstr("--instance-type\np5.48xlarge\n--count\n4\n"));
  const std::string efs = what_is_run(provisioning_script(order_of("efs", "p5.48xlarge"), "aws")->text, variables);
  EXPECT_THAT(efs, HasSubstr("create-mount-target\n--region\nus-east-1\n--file-system-id\nfs-1\n"));
}

TEST(EmitProvisioning, AzureGetsTheseArguments) {
  const ResolvedScenario order = order_of("azure_managed_lustre_125", "standard_nd96isr_h100_v5");
  const std::string run = what_is_run(provisioning_script(order, "azure")->text,
                                      "RESOURCE_GROUP=g LOCATION=eastus ZONE=1 SUBNET_ID=s MAINTENANCE_DAY=Sunday "
                                      "MAINTENANCE_TIME=03:00 IMAGE=i");
  EXPECT_THAT(run, HasSubstr("--zones\n[1]\n--sku\nAMLFS-Durable-Premium-125\n--storage-capacity\n16\n"));
  EXPECT_THAT(run, HasSubstr("{dayOfWeek:Sunday,timeOfDayUtc:'03:00'}\n"));
  EXPECT_THAT(run, HasSubstr("--size\nStandard_ND96isr_H100_v5\n"));
}

// Reads by DMA need the network adapters that FSx offers with its newest deployment only.
TEST(EmitProvisioning, GpuDirectOrdersElasticFabricAdapters) {
  ResolvedScenario order = order_of("fsx_lustre_persistent_2_250", "p5.48xlarge");
  EXPECT_THAT(provisioning_script(order, "aws")->text, Not(HasSubstr("EfaEnabled")));
  order.scenario.loader.gpudirect = true;
  EXPECT_THAT(provisioning_script(order, "aws")->text, HasSubstr("EfaEnabled=true"));
  EXPECT_THAT(terraform_file(order)->text, HasSubstr("\"efa_enabled\": true"));
}

// 1.5 TB on a machine without disks of its own: four of 375 GiB.
TEST(EmitProvisioning, LocalSsdsAreAddedToMachinesWithoutAny) {
  ResolvedScenario order = order_of("gcp_local_ssd", "a2-highgpu-8g");
  EXPECT_EQ(provisioning_order(order).added_local_ssds, 0);
  order.scenario.cluster.local_storage_per_node = bytes(1.5e12);
  EXPECT_EQ(provisioning_order(order).added_local_ssds, 4);
  const Json hosts = Json::parse(terraform_file(order)->text)["resource"]["google_compute_instance"]["hosts"];
  EXPECT_EQ(hosts["scratch_disk"],
            Json::array(
                {{{"interface", "NVME"}}, {{"interface", "NVME"}}, {{"interface", "NVME"}}, {{"interface", "NVME"}}}));
  order = order_of("gcp_local_ssd", "a3-highgpu-8g");
  order.scenario.cluster.local_storage_per_node = bytes(6e12);
  EXPECT_EQ(provisioning_order(order).added_local_ssds, 0);
}

// What has no command says so where it would stand.
TEST(EmitProvisioning, AStorageOfYourOwnIsSaidInTheScript) {
  EXPECT_THAT(provisioning_script(order_of("weka", "a3-highgpu-8g"), "gcp")->text, HasSubstr("mount your own"));
}

// Nothing runs before every variable is there, and the one that is not is named.
TEST(EmitProvisioning, StopsWithoutItsVariables) {
  const std::string script = provisioning_script(order_of("parallelstore", "a3-highgpu-8g"), "gcp")->text;
  const std::string run = what_is_run(script, "PROJECT=p");
  EXPECT_THAT(run, HasSubstr("ZONE"));
  EXPECT_THAT(run, Not(HasSubstr("gcloud")));
}

TEST(EmitProvisioning, NamesAreHarmless) {
  std::filesystem::remove("/tmp/stallcast_pwned");
  ResolvedScenario order = order_of("gcs_fuse", "a3-highgpu-8g");
  order.scenario.name = kHostile;
  order.scenario.storage.capacity = {};
  what_is_run(provisioning_script(order, "gcp")->text,
              "PROJECT=p ZONE=z-a NETWORK=n SUBNET=s IMAGE_PROJECT=i IMAGE_FAMILY=f BUCKET=b");
  EXPECT_FALSE(std::filesystem::exists("/tmp/stallcast_pwned"));
  const Json terraform = Json::parse(terraform_file(order)->text);
  EXPECT_THAT(terraform.at("//").get<std::string>(), HasSubstr("$${HOME} %%{if}"));
  for (const char* const name : {"", "4x", "日本", kHostile, "-"})
    EXPECT_TRUE(std::regex_match(resource_name(name), std::regex("[a-z]([-a-z0-9]{0,38}[a-z0-9])?"))) << name;
}

// Required arguments, read from the schemas of the providers: registry.terraform.io/providers/hashicorp/<google, aws,
// azurerm>/latest/docs/resources/<name without its first word>.
const std::map<std::string, std::vector<std::string>> kRequired = {
    {"google_parallelstore_instance", {"instance_id", "location", "capacity_gib"}},
    {"google_filestore_instance", {"name", "tier", "file_shares", "networks"}},
    {"google_lustre_instance",
     {"instance_id", "location", "filesystem", "capacity_gib", "network", "per_unit_storage_throughput"}},
    {"google_storage_bucket", {"name", "location"}},
    {"google_storage_anywhere_cache", {"bucket", "zone"}},
    {"google_compute_disk", {"name"}},
    {"google_compute_instance", {"name", "machine_type", "boot_disk", "network_interface"}},
    {"aws_fsx_lustre_file_system", {"subnet_ids"}},
    {"aws_efs_file_system", {}},
    {"aws_efs_mount_target", {"file_system_id", "subnet_id"}},
    {"aws_s3_bucket", {}},
    {"aws_s3_directory_bucket", {"bucket", "location"}},
    {"aws_instance", {"ami", "instance_type"}},
    {"azurerm_storage_account",
     {"name", "resource_group_name", "location", "account_tier", "account_replication_type"}},
    {"azurerm_storage_container", {"name"}},
    {"azurerm_managed_lustre_file_system",
     {"name", "resource_group_name", "location", "sku_name", "storage_capacity_in_tb", "subnet_id", "zones",
      "maintenance_window"}},
    {"azurerm_network_interface", {"name", "resource_group_name", "location", "ip_configuration"}},
    {"azurerm_linux_virtual_machine",
     {"name", "resource_group_name", "location", "size", "network_interface_ids", "os_disk"}},
};

std::set<std::string> variables_in(const std::string& text) {
  std::set<std::string> names;
  const std::regex reference(R"(var\.([a-z_]+))");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), reference); at != std::sregex_iterator(); ++at)
    names.insert((*at)[1]);
  return names;
}

TEST(EmitProvisioning, TerraformHasWhatEachResourceRequires) {
  std::set<std::string> seen;
  for (ResolvedScenario& order : whole_catalogue()) {
    order.scenario.name = kHostile;
    order.scenario.cost.pricing = HostPricing::kReserved1Year;
    const auto file = terraform_file(order);
    ASSERT_TRUE(file) << order.scenario.storage.tier;
    const Json root = Json::parse(file->text);
    for (const auto& [type, resources] : root.at("resource").items()) {
      ASSERT_EQ(kRequired.count(type), 1U) << type;
      seen.insert(type);
      for (const Json& resource : resources)
        for (const std::string& argument : kRequired.at(type))
          EXPECT_TRUE(resource.contains(argument)) << type << argument;
      EXPECT_TRUE(root.at("terraform").at("required_providers").contains(type.substr(0, type.find('_')))) << type;
    }
    std::set<std::string> declared;
    for (const auto& [name, variable] : root.at("variable").items()) declared.insert(name);
    EXPECT_EQ(variables_in(root.at("resource").dump() + root.at("provider").dump()), declared);
  }
  EXPECT_EQ(seen.size(), kRequired.size());
}

// A list stays a list and a block a block, whatever braces they are written with.
TEST(EmitProvisioning, TerraformHasTheRightShapes) {
  const Json fsx = Json::parse(terraform_file(order_of("fsx_lustre_scratch_2", "p5.48xlarge"))->text).at("resource");
  const Json& file_system = fsx.at("aws_fsx_lustre_file_system").at("data");
  EXPECT_EQ(file_system.at("subnet_ids"), Json::array({"${var.subnet_id}"}));
  EXPECT_EQ(file_system.at("storage_capacity"), 1200);
  EXPECT_FALSE(file_system.contains("per_unit_storage_throughput"));
  EXPECT_EQ(file_system.at("tags"), Json({{"Name", "unet3d-on-4-nodes-data"}}));
  const Json filestore = Json::parse(terraform_file(order_of("filestore_zonal", "a3-highgpu-8g"))->text).at("resource");
  const Json& instance = filestore.at("google_filestore_instance").at("data");
  EXPECT_EQ(instance.at("networks").at(0).at("modes"), Json::array({"MODE_IPV4"}));
  EXPECT_EQ(instance.at("file_shares").at("capacity_gb"), 1024);
  EXPECT_EQ(filestore.at("google_compute_instance").at("hosts").at("count"), 4);
}

TEST(EmitProvisioning, AMachineOfYourOwnOrdersNothing) {
  ResolvedScenario own;
  own.scenario.name = "own";
  EXPECT_FALSE(provisioning_script(own, "gcp"));
  EXPECT_FALSE(terraform_file(own));
  EXPECT_EQ(provisioning_gaps(own).size(), 2U);
}

}  // namespace
}  // namespace stallcast
