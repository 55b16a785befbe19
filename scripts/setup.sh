# Sourced by scripts/demo, scripts/test and scripts/benchmark: sees to it that what the build needs is installed.
# On Debian and Ubuntu it says what is missing and installs that; elsewhere it says what to install and goes on.
# shellcheck shell=bash

# Debian's names; other systems name the same projects alike. libboost-dev holds all header-only parts, and no others
# are used.
stallcast_core_packages=(g++ cmake ninja-build libeigen3-dev nlohmann-json3-dev libcli11-dev libfmt-dev libboost-dev
                         libyaml-cpp-dev librandom123-dev liburing-dev libcurl4-openssl-dev zlib1g-dev pkg-config)
# The Python package.
stallcast_python_packages=(pybind11-dev python3-dev)
stallcast_packages=("${stallcast_core_packages[@]}" qt6-base-dev libqt6opengl6-dev libqt6charts6-dev libqt6svg6-dev
                    fonts-dejavu-core "${stallcast_python_packages[@]}")
stallcast_test_packages=(libgtest-dev libgmock-dev libbenchmark-dev nginx-light openssl python3 slurm-wlm munge chromium
                         fio debootstrap dpkg-dev lintian help2man man-db mandoc desktop-file-utils appstream
                         python3-mypy mypy python3-pandas python3-tqdm python3-venv python3-pip)
# For the slow tests: real training runs that are recorded, predicted and measured.
stallcast_slow_test_packages=(python3-torch python3-numpy python3-pil)
# Engines that scripts/benchmark compares with.
stallcast_peer_packages=(python3-simpy3 libsystemc-dev libns3-dev libsimgrid-dev)
# For the S3-speaking server of some tests, and for charts of reports that answer a pointer. Node from elsewhere than
# Debian brings npm along, and Debian's does not fit it.
if ! command -v npm >/dev/null; then
  stallcast_core_packages+=(nodejs npm)
  stallcast_packages+=(nodejs npm)
fi

# Prints those of the given Debian packages that are not installed, nor provided by one that is: a package may have
# another name here.
missing_packages() {
  comm -13 <(dpkg-query --show --showformat='${db:Status-Status} ${Package}, ${Provides}\n' |
               sed -n 's/^installed //p' | tr ',' '\n' | sed -E 's/^ +//; s/[ :(].*//' | sort -u) \
           <(printf '%s\n' "$@" | sort -u)
}

# install_packages PACKAGE...: installs what is missing of them.
install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "Not Debian or Ubuntu: please have these installed (Debian's names): $*" >&2
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return 0; fi

  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "Missing packages, and no sudo to install them: ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing: ${missing[*]}" >&2
  # Package lists are fetched only when the ones at hand do not know a package, or lead to a version that is gone.
  # A machine that has just started is often busy with its own updates: their lock is waited for.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600)
  local install=("${apt[@]}" install --yes --no-install-recommends "${missing[@]}")
  if ! apt-get install --simulate --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
     ! "${install[@]}" >&2 </dev/null; then
    # A source that cannot be reached is no reason to stop: the others may have the package.
    "${apt[@]}" update >&2 </dev/null || true
    "${install[@]}" >&2 </dev/null
  fi
}

# configure_release NAME=VALUE...: configures build/release unless its cache holds these options already. CMake itself
# sees to changed CMakeLists.txt files at the next build.
configure_release() {
  local option wanted=("$@")
  if [[ -f "$root/build/release/build.ninja" ]]; then
    local changed=0
    for option in "${wanted[@]}"; do
      grep --quiet --fixed-strings --line-regexp "${option/=/:BOOL=}" "$root/build/release/CMakeCache.txt" || changed=1
    done
    if ((changed == 0)); then return 0; fi
  fi
  (cd "$root" && cmake --preset release "${wanted[@]/#/-D}" >&2)
}
