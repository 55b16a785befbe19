#include <fmt/format.h>

#include "core/plan/emit/emit_provisioning.h"

namespace stallcast {
namespace {

using Order = ProvisioningOrder;

void need_group(ShellScript& script) {
  script.need("RESOURCE_GROUP", "the resource group");
  script.need("LOCATION", "the location, as in eastus");
  script.need("ZONE", "the availability zone of hosts and storage: 1, 2 or 3");
  script.need("SUBNET_ID", "the full id of the subnet of hosts and storage");
}

void lustre(const Order& order, ShellScript& script) {
  need_group(script);
  script.need("MAINTENANCE_DAY", "a day of the week on which the file system may be updated, as in Sunday");
  script.need("MAINTENANCE_TIME", "the time of it, UTC, as in 03:00");
  script.comment({fmt::format("Azure Managed Lustre, {} TiB.", order.storage.capacity)});
  script.run(ShellCommand("az amlfs create")
                 .spaced("--amlfs-name", order.name + "-data")
                 .spaced_variable("--resource-group", "RESOURCE_GROUP")
                 .spaced_variable("--location", "LOCATION")
                 .raw("--zones \"[${ZONE}]\"")
                 .spaced("--sku", order.storage.variant)
                 .spaced("--storage-capacity", fmt::format("{}", order.storage.capacity))
                 .spaced_variable("--filesystem-subnet", "SUBNET_ID")
                 .raw("--maintenance-window \"{dayOfWeek:${MAINTENANCE_DAY},timeOfDayUtc:'${MAINTENANCE_TIME}'}\""));
  script.comment({"On every host: sudo mount -t lustre -o noatime,flock MGS_ADDRESS@tcp:/lustrefs /mnt/dataset"});
}

void blob(const Order& order, ShellScript& script) {
  script.need("RESOURCE_GROUP", "the resource group");
  script.need("LOCATION", "the location, as in eastus");
  script.need("STORAGE_ACCOUNT", "a name of 3 to 24 small letters and digits that nobody has yet");
  script.comment({"The storage account, in the location of the hosts, and a container in it."});
  script.run(ShellCommand("az storage account create")
                 .spaced_variable("--name", "STORAGE_ACCOUNT")
                 .spaced_variable("--resource-group", "RESOURCE_GROUP")
                 .spaced_variable("--location", "LOCATION")
                 .raw("--kind StorageV2 --sku Standard_LRS")
                 .spaced("--access-tier", order.storage.variant));
  script.run(ShellCommand("az storage container create")
                 .spaced("--name", order.name + "-data")
                 .spaced_variable("--account-name", "STORAGE_ACCOUNT")
                 .raw("--auth-mode login"));
}

void order_hosts_by_az(const Order& order, ShellScript& script) {
  need_group(script);
  script.need("IMAGE", "the image of the hosts, with the GPU driver: a URN or an id");
  script.comment({fmt::format("{} hosts.", order.hosts)});
  ShellCommand create("az vm create");
  create.spaced("--name", order.name)
      .spaced_variable("--resource-group", "RESOURCE_GROUP")
      .spaced_variable("--location", "LOCATION")
      .spaced("--size", order.machine);
  if (order.hosts > 1) create.spaced("--count", fmt::format("{}", order.hosts));
  create.spaced_variable("--zone", "ZONE")
      .spaced_variable("--image", "IMAGE")
      .spaced_variable("--subnet", "SUBNET_ID")
      .raw("--generate-ssh-keys");
  if (order.pricing == HostPricing::kSpot) create.raw("--priority Spot").raw("--eviction-policy Deallocate");
  if (order.pricing == HostPricing::kReserved1Year || order.pricing == HostPricing::kReserved3Years)
    script.comment({"The reservation is bought beside this; it is applied to matching machines by itself."});
  script.run(create);
}

}  // namespace

void add_azure(const ProvisioningOrder& order, ShellScript& script) {
  if (order.storage.service == StorageService::kAzureLustre) lustre(order, script);
  if (order.storage.service == StorageService::kAzureBlob) blob(order, script);
  if (order.host_cloud == "azure") order_hosts_by_az(order, script);
}

}  // namespace stallcast
