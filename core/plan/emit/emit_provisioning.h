// Commands that order the storage tier and the hosts of a scenario, one script per cloud, and the same for Terraform.
//
// Nothing is invented: projects, zones, networks, images and reservations are variables, and a script stops at its top
// when one of them is not set.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/emit/emitted_file.h"
#include "core/plan/emit/storage_order.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// What is ordered, gathered once for every form of it.
struct ProvisioningOrder {
  std::string title;  // of the scenario
  std::string name;   // resource_name of it
  StorageOrder storage;
  std::string machine;     // as the cloud spells it, "a3-highgpu-8g"; "" = no known host
  std::string host_cloud;  // "gcp", "aws", "azure"; "" = no known host
  std::int64_t hosts = 1;
  HostPricing pricing = HostPricing::kOnDemand;
  std::int64_t added_local_ssds = 0;  // of 375 GiB, on Google machines that have none of their own
  bool gpudirect = false;             // reads go to GPU memory by DMA
  bool same_cloud = true;             // storage and hosts, where both are known

  bool uses(std::string_view cloud) const { return storage.cloud == cloud || host_cloud == cloud; }
};

ProvisioningOrder provisioning_order(const ResolvedScenario& resolved);

// What stands at the top of every form of the order.
std::vector<std::string> about_order(const ProvisioningOrder& order);

// Adds commands for what `order` has in the cloud of each; nothing where it has nothing there.
// **Source** gcloud reference (SDK 528), AWS CLI reference (EC2, FSx, EFS, S3), az reference (amlfs, vm).
void add_gcloud(const ProvisioningOrder& order, ShellScript& script);
void add_aws(const ProvisioningOrder& order, ShellScript& script);
void add_azure(const ProvisioningOrder& order, ShellScript& script);

// Members of a Terraform configuration in its JSON syntax, merged into `root`.
// **Source** registry.terraform.io: providers hashicorp/google, hashicorp/aws, hashicorp/azurerm.
void add_google_resources(const ProvisioningOrder& order, nlohmann::ordered_json& root);
void add_aws_resources(const ProvisioningOrder& order, nlohmann::ordered_json& root);
void add_azure_resources(const ProvisioningOrder& order, nlohmann::ordered_json& root);

// A variable that has no default, "description" its meaning; returns "${var.NAME}".
std::string terraform_variable(nlohmann::ordered_json& root, const std::string& name, const std::string& meaning);

// "provision-gcloud.sh" and its like; nothing when the scenario has nothing in `cloud` ("gcp", "aws", "azure").
std::optional<EmittedFile> provisioning_script(const ResolvedScenario& resolved, std::string_view cloud);

// "main.tf.json"; nothing when there is nothing to order in any cloud.
std::optional<EmittedFile> terraform_file(const ResolvedScenario& resolved);

// "gcsfuse.yaml" for a tier that is mounted by Cloud Storage FUSE.
std::optional<EmittedFile> gcsfuse_file(const ResolvedScenario& resolved);

// What to do instead where nothing can be ordered, or only a part of it. Empty when all of it can.
std::vector<std::string> provisioning_gaps(const ResolvedScenario& resolved);

}  // namespace stallcast
