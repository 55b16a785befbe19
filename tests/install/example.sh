#!/bin/sh
# example.sh PREFIX SOURCE: a program of somebody else's finds stallcast in PREFIX, builds with it and runs.
set -eu
prefix=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cmake -S "$source" -B . -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_BUILD_TYPE=Debug >configured
cmake --build . >built
./example "$prefix/share/stallcast/scenarios/02_headline_gcs.json" >printed
cat printed

# The same figures as the program's own.
"$prefix/bin/stallcast" simulate "$prefix/share/stallcast/scenarios/02_headline_gcs.json" >simulated
number='[0-9]*\.[0-9]'
own=$(sed -n "s/^GPU utilization  *\($number\) %  (95 %: \($number\) to \($number\) %)/\1 \2 \3/p" simulated)
its=$(sed -n "s/^GPU utilization \($number\) %, 95 % interval \($number\) to \($number\) %/\1 \2 \3/p" printed)
[ -n "$own" ]
[ "$own" = "$its" ] || {
  echo "the program prints $own, the example $its" >&2
  exit 1
}

# A version with other headers is not taken for this one.
sed 's/find_package(stallcast 0.1/find_package(stallcast 0.2/' "$source/CMakeLists.txt" >newer.txt
mkdir newer
mv newer.txt newer/CMakeLists.txt
cp "$source/main.cpp" newer
if cmake -S newer -B newer/build -D CMAKE_PREFIX_PATH="$prefix" >newer/log 2>&1; then
  echo "0.1 was taken for 0.2" >&2
  exit 1
fi
