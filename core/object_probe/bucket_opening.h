// The half of open_objects that buckets need: address, key, list.
#pragma once

#include "core/object_probe/http/s3_settings.h"
#include "core/object_probe/object_source.h"

namespace stallcast {

// Lists up to three pages into `source`, following a bucket once to its region. Where listing is not allowed and the
// prefix may be a key, that object alone. false when a stop was requested.
// **Errors** WorldError as open_objects.
bool open_bucket(ObjectSource& source, ObjectBudget& budget, S3Settings settings);

}  // namespace stallcast
