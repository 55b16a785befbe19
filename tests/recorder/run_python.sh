#!/usr/bin/env bash
# Runs a Python test file with the first python3 that imports torch: $STALLCAST_PYTHON, those on PATH, the system's.
# Without one it says so and exits 77, which ctest counts as skipped.
set -euo pipefail
tried=()
while read -r python; do
  if [[ -z "$python" || " ${tried[*]-} " == *" $python "* ]]; then continue; fi
  if "$python" -c 'import torch' 2>/dev/null; then exec "$python" "$@"; fi
  tried+=("$python")
done < <(printf '%s\n' "${STALLCAST_PYTHON:-}"; type -ap python3 || true; printf '%s\n' /usr/bin/python3)
echo "skipped: no python3 here imports torch (tried ${tried[*]}; on Debian: apt-get install python3-torch)"
exit 77
