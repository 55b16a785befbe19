#!/bin/bash
# clean_root.sh PREFIX PACKAGES CACHE: a bare Debian, made by debootstrap and kept in CACHE, takes the packages with
# apt, runs them, and has nothing of them left when they are removed.
set -euo pipefail
packages=$2 cache=$3
skip() {
  echo "skipped: $1"
  exit 77
}
[[ $EUID == 0 ]] || skip "a clean root needs root (debootstrap, chroot)"
for tool in debootstrap apt-get unshare; do
  command -v "$tool" >/dev/null || skip "a clean root needs $tool"
done
ls "$packages"/*.deb >/dev/null 2>&1 || skip "a clean root needs the packages, which were not made"
unshare --mount true 2>/dev/null || skip "a clean root needs mounts of its own, which are not allowed here"
# Mounts end with this script.
[[ "${STALLCAST_OWN_MOUNTS:-}" == yes ]] || STALLCAST_OWN_MOUNTS=yes exec unshare --mount "$0" "$@"

# The system that this one is, from where this one has its packages.
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2016 # these are apt's variables
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME)' 'Created-By: Packages' |
  awk -v codename="$codename" '$2 == codename {print $1; exit}')
[[ -n "$mirror" ]] || skip "a clean root needs package lists (apt-get update)"

mkdir -p "$cache"
if [[ ! -f "$cache/base.tar" ]]; then
  rm -rf "$cache/base"
  debootstrap --variant=minbase --include=ca-certificates,man-db,bash-completion "$codename" "$cache/base" "$mirror" \
    >"$cache/debootstrap.log" 2>&1 || skip "debootstrap could not make a clean root: $(tail -n 1 "$cache/debootstrap.log")"
  tar -C "$cache/base" -cf "$cache/base.tar.part" .
  mv "$cache/base.tar.part" "$cache/base.tar"
  rm -rf "$cache/base"
fi

root="$cache/root"
rm -rf "$root"
mkdir "$root"
clean_up() {
  umount "$root/proc" "$root/dev" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT
tar -C "$root" -xf "$cache/base.tar"
mkdir "$root/packages"
cp "$packages"/stallcast_*.deb "$root/packages/stallcast.deb"
cp "$packages"/stallcast-gui_*.deb "$root/packages/stallcast-gui.deb"
with_python=() python_deb=()
if ls "$packages"/python3-stallcast_*.deb >/dev/null 2>&1; then
  cp "$packages"/python3-stallcast_*.deb "$root/packages/python3-stallcast.deb"
  with_python=(python3-stallcast) python_deb=(/packages/python3-stallcast.deb)
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
# Sources, keys and settings as here, so that the versions fit those that the packages were made with.
cp -R /etc/apt/sources.list* "$root/etc/apt/" 2>/dev/null || true
apt-config dump | grep '^Acquire::.*Proxy' >"$root/etc/apt/apt.conf.d/99proxy" || true
cp -R /usr/share/keyrings/. "$root/usr/share/keyrings/"
mkdir -p "$cache/archives"
find "$cache/archives" -name '*.deb' -exec cp {} "$root/var/cache/apt/archives/" \;
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"

inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
apt_get() { inside apt-get --quiet --quiet --option Dpkg::Options::=--force-unsafe-io --option Dpkg::Use-Pty=0 "$@"; }
# Every file that packages own or make, but for the records of dpkg and apt themselves.
listing() { (cd "$root" && find etc opt srv usr var -path var/lib/dpkg -prune -o -path var/lib/apt -prune -o \
  -path var/cache -prune -o -path var/log -prune -o -print | sort); }

fail() {
  echo "$1" >&2
  exit 1
}

apt_get update >"$cache/apt.log" 2>&1 || skip "the mirror cannot be reached: $(tail -n 1 "$cache/apt.log")"
listing >"$cache/before"
apt_get install --yes --no-install-recommends /packages/stallcast.deb /packages/stallcast-gui.deb \
  "${python_deb[@]}" \
  >"$cache/apt.log" 2>&1 || fail "$(cat "$cache/apt.log")"
cp "$root"/var/cache/apt/archives/*.deb "$cache/archives/"

scenarios=/usr/share/stallcast/scenarios
inside stallcast simulate "$scenarios/02_headline_gcs.json" | grep '^GPU utilization' || fail "simulate"
inside stallcast report "$scenarios/02_headline_gcs.json" -o /tmp/report.html || fail "report"
inside stallcast catalogue check >/dev/null || fail "catalogue check"
# Charts that answer a pointer need npm at build time; then they are in the program and no file is missing.
grep -q vega "$root/tmp/report.html" || echo "built without npm: charts of reports are not interactive"

inside man --pager=cat stallcast | grep -q stallcast-simulate || fail "man stallcast"
inside man --pager=cat stallcast-simulate | grep -q -- --replications || fail "man stallcast-simulate"
# shellcheck disable=SC2016 # for the shell inside
inside bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader stallcast
  COMP_WORDS=(stallcast sim) COMP_CWORD=1; _stallcast; [[ " ${COMPREPLY[*]} " == *" simulate "* ]]' ||
  fail "bash does not complete"

[[ "$(inside stallcast-gui --version)" == "$(inside stallcast --version)" ]] || fail "stallcast-gui --version"
status=0
inside timeout 10 env QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=/tmp \
  stallcast-gui "$scenarios/02_headline_gcs.json" 2>"$cache/gui.log" || status=$?
((status == 124)) || fail "the window ended by itself, with $status: $(cat "$cache/gui.log")"

if ((${#with_python[@]} > 0)); then
  inside python3 -c 'import stallcast; print(stallcast.simulate(stallcast.example("headline_gcs")).gpu_utilization.mean)' ||
    fail "import stallcast"
fi

apt_get purge --yes --autoremove stallcast stallcast-gui "${with_python[@]}" >"$cache/apt.log" 2>&1 || fail "$(cat "$cache/apt.log")"
listing >"$cache/after"
diff "$cache/before" "$cache/after" || fail "these files came or went (above)"
echo "installed, run and removed on a clean $codename"
