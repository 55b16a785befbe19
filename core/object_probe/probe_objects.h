// The live probe of objects: ranged and whole GETs of a bucket or a URL, at growing sizes and numbers in flight.
#pragma once

#include <string>

#include "core/probe/result/probe_options.h"
#include "core/probe/result/probe_result.h"

namespace stallcast {

// Reads from s3://BUCKET[/PREFIX], gs://BUCKET[/PREFIX] or http(s)://HOST/OBJECT and returns its operating points:
//
//   list   pages of names, one at a time (buckets)
//   random ranges of 128 KiB, 1 MiB and 8 MiB with 1, 2, 4, ... in flight, until two doublings in a row gained less
//   than
//          5 % each; with one, the time to the first byte and the rate of a stream
//   whole  objects from beginning to end, likewise
//
// each visited at least twice where time and bytes allow, and graded as a probe of files is, with object_flaws beside.
//
// Takes no more than `options` allows: bytes are set aside before a request is sent, and bytes of bodies are counted
// (not those of headers and of TLS). Ends early, with what was measured, when the points are done or a stop was
// requested. Keys and endpoints come from where find_s3_settings looks; no secret is in the result or in an error.
// **Errors** WorldError, saying what to do: see open_objects. A bad URL is one too; parse_object_url says so as a
// finding.
ProbeResult probe_objects(const std::string& url, const ProbeOptions& options);

}  // namespace stallcast
