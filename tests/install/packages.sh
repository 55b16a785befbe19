#!/bin/sh
# packages.sh PREFIX BUILD FOLDER: makes the Debian packages of BUILD in FOLDER and looks at them.
set -eu
build=$2 folder=$3
skip() {
  echo "skipped: $1"
  exit 77
}
command -v dpkg-shlibdeps >/dev/null || skip "no Debian packages without dpkg-shlibdeps (dpkg-dev)"
rm -rf "$folder"
cd "$build"
cpack -G DEB -B "$folder" >"$build/cpack.log" 2>&1 || {
  cat "$build/cpack.log"
  exit 1
}
cd "$folder"
rm -rf _CPack_Packages

fail() {
  echo "$1" >&2
  exit 1
}

# field PACKAGE NAME
field() { dpkg-deb --field "$1"_*.deb "$2"; }

# What the programs link to is depended on, and nothing that holds GPL reaches the command line.
field stallcast Depends | grep -q "libcurl4.*libyaml-cpp" || fail "stallcast depends on: $(field stallcast Depends)"
! field stallcast Depends | grep -qi qt || fail "the command line depends on Qt"
field stallcast-gui Depends | grep -q "^stallcast (= .*libqt6charts6" ||
  fail "stallcast-gui depends on: $(field stallcast-gui Depends)"

# Built only where pybind11 and the headers of Python are there.
if ls python3-stallcast_*.deb >/dev/null 2>&1; then
  field python3-stallcast Depends | grep -q "^stallcast (= .*python3 (>= 3" ||
    fail "python3-stallcast depends on: $(field python3-stallcast Depends)"
fi

# Sizes beyond which something is wrong: not stripped, or a build folder inside. Today 3.6, 2.5 and 3.4 MB.
for deb in *.deb; do
  size=$(wc -c <"$deb")
  echo "$deb: $size bytes"
  [ "$size" -lt 6000000 ] || fail "$deb has $size bytes"
done

# Two packages never hold the same file.
for deb in *.deb; do dpkg-deb --contents "$deb" | awk '!/\/$/ {print $6}'; done | sort | uniq -d >twice
[ ! -s twice ] || fail "in both packages: $(cat twice)"

if command -v lintian >/dev/null; then
  # A package that no distribution has closes no bug of one.
  lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs -- *.deb
else
  echo "lintian is not installed: not looked at"
fi
