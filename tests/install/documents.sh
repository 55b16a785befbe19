#!/bin/sh
# documents.sh PREFIX: manual pages, completions and what a desktop reads are well formed.
set -eu
prefix=$1
share=$prefix/share
failed=0
wrong() {
  echo "$1" >&2
  failed=1
}
have() {
  command -v "$1" >/dev/null || {
    echo "$1 is not installed: not looked at"
    return 1
  }
}

# A page for the program and for each command that help lists.
"$prefix/bin/stallcast" --help | sed -n 's/^  \([a-z][a-z-]*\)   *[A-Z].*/\1/p' | while read -r command; do
  [ -f "$share/man/man1/stallcast-$command.1" ] || echo "$command"
done >"$share/missing"
[ ! -s "$share/missing" ] || wrong "no manual page of $(cat "$share/missing")"
rm "$share/missing"
for page in "$share"/man/man1/*.1; do
  if have mandoc; then
    # help2man writes the date as a month, which mandoc does not read.
    mandoc -T lint -W warning "$page" | grep -v 'stallcast-gui.*cannot parse date' && wrong "mandoc objects to $page"
  fi
  if have man; then
    said=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || wrong "$page: $said"
  fi
done

if have bash; then bash -n "$share/bash-completion/completions/stallcast" || wrong "completion of bash"; fi
if have zsh; then zsh -n "$share/zsh/site-functions/_stallcast" || wrong "completion of zsh"; fi
if have fish; then fish --no-execute "$share/fish/vendor_completions.d/stallcast.fish" || wrong "completion of fish"; fi

if [ -x "$prefix/bin/stallcast-gui" ]; then
  if have desktop-file-validate; then
    desktop-file-validate "$share/applications/org.stallcast.stallcast.desktop" || wrong "desktop file"
  fi
  if have appstreamcli; then
    said=$(appstreamcli validate --no-net "$share/metainfo/org.stallcast.stallcast.metainfo.xml") || wrong "$said"
  fi
  grep -q "<release version=\"$("$prefix/bin/stallcast" --version | cut -d ' ' -f 2)\"" \
    "$share/metainfo/org.stallcast.stallcast.metainfo.xml" || wrong "the metainfo does not know this version"
  [ -f "$share/icons/hicolor/scalable/apps/stallcast.svg" ] || wrong "no icon"
fi
exit $failed
