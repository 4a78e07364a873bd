# A bare system that runs, in namespaces of its own but for the network. Sourced by Tests/Package/run.
# shellcheck shell=bash

# Whether this machine lets root make what a running system needs; a container may not.
can_boot() {
  mkdir -p "$work/cgroup" "$work/probe"
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --uts --ipc --cgroup sh -c '
    mount --make-rprivate / && mount -t cgroup2 cgroup2 "$1" && mkdir "$1/latchkey-can-boot" && rmdir "$1/latchkey-can-boot" &&
      mount -t tmpfs tmpfs "$2" && mkdir "$2/proc" "$2/sys" && mount -t proc proc "$2/proc" &&
      mount -t sysfs -o ro sysfs "$2/sys"' sh "$work/cgroup" "$work/probe" 2>"$work/can-boot.log"
}

# Boots `system`; sets `init`, the number of its first process.
boot_system() {
  local log="$work/boot.log" line
  # Marked, so that no other system's is taken for it: what is in its cgroup ends with it.
  unshare --mount --fork "$here/lib/as-init" "$system" "$work/cgroup" >"$log" 2>&1 </dev/null &
  booted=$!
  await 30 "first process of the bare system" has_init
  await 60 "boot of the bare system ($(tail -n 3 "$log" | tr '\n' ' '))" has_booted
}

has_init() {
  init="$(pgrep -x -f "/lib/systemd/systemd --system latchkey.test=$booted" | sed -n 1p)"
  [ -n "$init" ]
}
has_booted() { [[ "$(inside systemctl is-system-running 2>/dev/null)" == @(running|degraded) ]]; }

# Runs a command in it.
inside() { nsenter --target "$init" --mount --pid --uts --ipc --cgroup --root --wd -- "$@"; }

# Ends it with all that runs in it.
halt_system() {
  [ -n "${init:-}" ] || return 0
  kill -KILL "$init" 2>/dev/null || true
  wait "$booted" 2>/dev/null || true
  init=
}

clear_away() {
  halt_system
  if [ -n "${air_process:-}" ]; then
    kill -KILL "$air_process" 2>/dev/null || true
    wait "$air_process" 2>/dev/null || true
  fi
  rm -rf "${work:?}"/{cold,warm}
}
