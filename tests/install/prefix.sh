#!/bin/sh
# prefix.sh PREFIX BUILD: installs BUILD and moves what was installed to PREFIX.
set -eu
prefix=$1 build=$2
rm -rf "$prefix" "$prefix.first"
cmake --install "$build" --prefix "$prefix.first" >/dev/null
mv "$prefix.first" "$prefix"
