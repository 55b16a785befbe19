#!/bin/sh
# hardened.sh PREFIX: the installed programs have what the build's hardening flags are for.
set -eu
prefix=$1
for tool in readelf objdump; do
  command -v "$tool" >/dev/null || {
    echo "skipped: hardening is seen with $tool (binutils)"
    exit 77
  }
done
failed=0
for program in "$prefix"/bin/*; do
  readelf --wide --dynamic --segments "$program" >"$prefix/elf"
  readelf --wide --dyn-syms "$program" >"$prefix/symbols"
  # holds FILE PATTERN WHAT
  holds() {
    grep -q -- "$2" "$prefix/$1" || {
      echo "$program: $3" >&2
      failed=1
    }
  }
  holds elf 'Flags:.*PIE' "not position-independent"
  holds elf GNU_RELRO "relocations stay writable"
  holds elf 'Flags:.* NOW\|BIND_NOW' "functions are bound late"
  holds symbols __stack_chk_fail "no stack protector"
  holds symbols '__[a-z]*_chk@' "library calls are not fortified"
  # -fcf-protection: every function that a pointer may lead to begins with endbr64. (Debian's start files have none, so
  # that the linker does not mark the program as a whole.)
  if [ "$(uname -m)" = x86_64 ]; then
    targets=$(objdump --disassemble --no-show-raw-insn "$program" | grep -c endbr64)
    [ "$targets" -gt 1000 ] || {
      echo "$program: no -fcf-protection, only $targets functions have endbr64" >&2
      failed=1
    }
  fi
  rm "$prefix/elf" "$prefix/symbols"
done
exit $failed
