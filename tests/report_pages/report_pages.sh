#!/bin/sh
# report_pages.sh WRITE_SAMPLE FOLDER: writes the sample report and looks at it in Chromium. Says why and exits with 77
# where something for that is missing.
set -eu
here=$(dirname "$0")
skip() { echo "skipped: $*" >&2; exit 77; }
command -v node >/dev/null || skip "node is not installed"
command -v npm >/dev/null || skip "npm is not installed"
browser=
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  browser=$(command -v "$name") && break
done
[ -n "$browser" ] || skip "neither Chromium nor Chrome is installed"

mkdir -p "$2"
exec 9>"$2/lock"
flock 9
if [ ! -f "$2/node_modules/axe-core/axe.min.js" ] || [ ! -d "$2/node_modules/playwright-core" ]; then
  npm install --prefix "$2" --no-audit --no-fund --loglevel=error playwright-core@1.65.1 axe-core@4.14.1 >&2 ||
    skip "playwright-core cannot be installed: the network is missing, or node is too old"
fi
"$1" "$2/sample"
node "$here/report_pages.mjs" "$2" "$browser" "$2/sample/report.html"
