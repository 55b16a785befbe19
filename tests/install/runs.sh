#!/bin/sh
# runs.sh PREFIX: installed programs read their catalogue from PREFIX, though it was moved and whatever leads to it.
set -eu
prefix=$1
stallcast=$prefix/bin/stallcast
scenario=$prefix/share/stallcast/scenarios/02_headline_gcs.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset STALLCAST_MODELS STALLCAST_CATALOGUE

fail() {
  echo "$1" >&2
  exit 1
}

# catalogue_of PROGRAM: where its records are, as a result says.
catalogue_of() {
  "$1" simulate "$scenario" --format json | sed -n 's/^    "directory": "\(.*\)",*$/\1/p'
}

[ "$(catalogue_of "$stallcast")" = "$prefix/share/stallcast/models" ] ||
  fail "the catalogue is $(catalogue_of "$stallcast"), not that of $prefix"
ln -s "$stallcast" linked
[ "$(catalogue_of ./linked)" = "$prefix/share/stallcast/models" ] || fail "not found through a link"

# A program without a catalogue says so, and which places it looked at.
cp "$stallcast" alone
if [ ! -d /usr/local/share/stallcast/models ]; then
  ./alone catalogue list >/dev/null 2>error && fail "a catalogue came from nowhere"
  grep -q "no catalogue found; set STALLCAST_MODELS (looked for share/stallcast/models in the folders above $work" error ||
    fail "$(cat error)"
fi
STALLCAST_MODELS=$prefix/share/stallcast/models ./alone catalogue list | grep -q a3-highgpu-8g ||
  fail "STALLCAST_MODELS was not read"

# Rules of advice, and the accuracy that reports state (without which there is no report).
"$stallcast" explain "$scenario" --format json | grep -q '"name": "more_workers"' || fail "explain has no rules"
"$stallcast" report "$scenario" -o report.md

find "$prefix/share/stallcast/scenarios" -name '*.json' >scenarios
[ "$(wc -l <scenarios)" -ge 40 ] || fail "only $(wc -l <scenarios) scenarios"

# No program knows the records of the tree that it was built from.
source=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
for program in "$prefix"/bin/*; do
  ! grep -qF "$source/models" "$program" || fail "$program holds the path of the source tree's records"
done
[ ! -x "$prefix/bin/stallcast-gui" ] ||
  "$prefix/bin/stallcast-gui" --version | grep -q "^stallcast [0-9]" || fail "the window does not start"
