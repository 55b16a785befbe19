
#include "core/plan/emit/emit_provisioning.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;
using Order = ProvisioningOrder;

// Where everything is, as each resource wants it.
Json placed(Json& root, const std::string& name) {
  return {{"name", name},
          {"resource_group_name", terraform_variable(root, "resource_group", "Resource group")},
          {"location", terraform_variable(root, "location", "Location, as in eastus")}};
}

std::string azure_zone(Json& root) {
  return terraform_variable(root, "zone", "Availability zone of hosts and storage: 1, 2 or 3");
}

std::string azure_subnet(Json& root) {
  return terraform_variable(root, "subnet_id", "Full id of the subnet of hosts and storage");
}

void lustre(const Order& order, Json& root, Json& resource) {
  Json lustre = placed(root, order.name + "-data");
  lustre.update({{"sku_name", order.storage.variant},
                 {"storage_capacity_in_tb", order.storage.capacity},
                 {"subnet_id", azure_subnet(root)},
                 {"zones", {azure_zone(root)}}});
  lustre["maintenance_window"] = {
      {"day_of_week", terraform_variable(root, "maintenance_day", "Day of updates, as in Sunday")},
      {"time_of_day_in_utc", terraform_variable(root, "maintenance_time", "Their time, UTC, as in 03:00")}};
  resource["azurerm_managed_lustre_file_system"]["data"] = std::move(lustre);
}

void blob(const Order& order, Json& root, Json& resource) {
  Json account = placed(
      root, terraform_variable(root, "storage_account", "Name of 3 to 24 small letters and digits, not taken yet"));
  account.update({{"account_kind", "StorageV2"},
                  {"account_tier", "Standard"},
                  {"account_replication_type", "LRS"},
                  {"access_tier", order.storage.variant}});
  resource["azurerm_storage_account"]["data"] = std::move(account);
  resource["azurerm_storage_container"]["data"] = {{"name", order.name + "-data"},
                                                   {"storage_account_id", "${azurerm_storage_account.data.id}"}};
}

void azure_hosts(const Order& order, Json& root, Json& resource) {
  const std::string name = order.name + "-${count.index}";
  Json interface = placed(root, name);
  interface["count"] = order.hosts;
  interface["accelerated_networking_enabled"] = true;
  interface["ip_configuration"] = {
      {"name", "internal"}, {"subnet_id", azure_subnet(root)}, {"private_ip_address_allocation", "Dynamic"}};
  resource["azurerm_network_interface"]["hosts"] = std::move(interface);
  Json host = placed(root, name);
  host["count"] = order.hosts;
  host["size"] = order.machine;
  host["zone"] = azure_zone(root);
  host["network_interface_ids"] = {"${azurerm_network_interface.hosts[count.index].id}"};
  const std::string user = terraform_variable(root, "admin_username", "Name of the administrator of the hosts");
  host["admin_username"] = user;
  host["admin_ssh_key"] = {
      {"username", user},
      {"public_key", terraform_variable(root, "ssh_public_key", "Public key of the administrator")}};
  host["source_image_id"] = terraform_variable(root, "image_id", "Image of the hosts, with the GPU driver");
  host["os_disk"] = {{"caching", "ReadWrite"}, {"storage_account_type", "Premium_LRS"}};
  if (order.pricing == HostPricing::kSpot) host.update({{"priority", "Spot"}, {"eviction_policy", "Deallocate"}});
  resource["azurerm_linux_virtual_machine"]["hosts"] = std::move(host);
}

}  // namespace

void add_azure_resources(const ProvisioningOrder& order, Json& root) {
  root["terraform"]["required_providers"]["azurerm"] = {{"source", "hashicorp/azurerm"}};
  root["provider"]["azurerm"] = {{"features", Json::object()}};
  if (order.storage.service == StorageService::kAzureLustre) lustre(order, root, root["resource"]);
  if (order.storage.service == StorageService::kAzureBlob) blob(order, root, root["resource"]);
  if (order.host_cloud == "azure") azure_hosts(order, root, root["resource"]);
}

}  // namespace stallcast
