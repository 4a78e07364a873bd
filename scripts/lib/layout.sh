# Where the files of an installation go (Filesystem Hierarchy Standard 3.0). Sourced after setup.sh and static.sh.
# shellcheck shell=bash

# What is laid out is for everybody, whatever mask its builder has.
umask 022

# What becomes of it: files with their modes, whole at any moment: a daemon that runs goes on with the ones it has.
put() {
  install -D -m "$1" "$2" "$3.new" 2>>"$layout_log" && mv -f "$3.new" "$3" ||
    die "can't write $3: $(tail -n 1 "$layout_log")"
}

# Lays all files out: lay_out DESTDIR PREFIX; the programs were built before. The configuration isn't among them.
lay_out() {
  local to="$1" prefix="$2" system name unit
  local at="$to$prefix"
  layout_log="$root/.build/layout.log"
  : >"$layout_log"
  # Debian 12 has its units and rules in /lib; below another prefix they are where systemd and udev look for them as well.
  system="$at/lib"
  [ "$prefix" != /usr ] || system="$to/lib"
  local work="$root/.build/layout"
  mkdir -p "$work"
  for name in "${programs[@]}"; do
    strip -o "$work/$name" "$static/release/$name" || die "$name can't be stripped"
  done
  put 755 "$work/latchkey" "$at/bin/latchkey"
  put 755 "$work/latchkey-keys" "$at/bin/latchkey-keys"
  put 755 "$work/latchkeyd" "$at/sbin/latchkeyd"
  put 755 "$work/latchkey-relay" "$at/libexec/latchkey/latchkey-relay"
  unit="$work/latchkeyd.service"
  sed "s|/usr/|$prefix/|" config/latchkeyd.service >"$unit"
  put 644 "$unit" "$system/systemd/system/latchkeyd.service"
  put 644 config/60-latchkey.rules "$system/udev/rules.d/60-latchkey.rules"
  put 644 config/latchkeyd.sysusers "$at/lib/sysusers.d/latchkey.conf"
  # The example, with the state where the unit allows it.
  sed 's|^state: state\.db$|state: /var/lib/latchkey/state.db|' config/latchkeyd.yaml >"$work/latchkeyd.yaml"
  grep -q '^state: /var/lib/latchkey/' "$work/latchkeyd.yaml" || die "config/latchkeyd.yaml has no line \"state: state.db\""
  local docs="$at/share/doc/latchkey"
  put 644 "$work/latchkeyd.yaml" "$docs/examples/latchkeyd.yaml"
  # All of them: they point to each other.
  while IFS= read -r name; do
    put 644 "$name" "$docs/${name#docs/}"
  done < <(find docs -name '*.md' -o -name '*.pml')
  put 644 config/debian/copyright "$docs/copyright"
}

# The version, which the source has in one place.
version() { sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/DoorController/Version.swift; }
