#!/bin/sh
# install_s3rver.sh DIR: sees to it that DIR holds s3rver, an S3-speaking server, from npm: of its two lines the one that
# checks Signature Version 4 (s3rver 3.7.1 takes any). Tests that run at the same time wait for each other. Says on
# stderr why not, and fails, when npm or the network is missing.
set -eu
mkdir -p "$1"
exec 9>"$1/lock"
flock 9
[ -f "$1/node_modules/@20minutes/s3rver/lib/s3rver.js" ] && exit 0
command -v npm >/dev/null || { echo "npm is not installed" >&2; exit 1; }
npm install --prefix "$1" --no-audit --no-fund --loglevel=error @20minutes/s3rver@4.0.4 >&2
