# The virtual radio for shell scripts. Sourced after setup.sh.
# shellcheck shell=bash

# Whether process $1 itself listens on TCP port $2: RootCanal goes on when a port is taken, so "it answers" isn't enough.
listens() {
  local inode
  inode="$(awk -v port="$(printf ':%04X' "$2")" '$4 == "0A" && substr($2, 9) == port { print $10; exit }' /proc/net/tcp)"
  [ -n "$inode" ] || return 1
  local descriptor
  for descriptor in "/proc/$1/fd/"*; do
    [ "$(readlink "$descriptor")" = "socket:[$inode]" ] && return 0
  done
  return 1
}

# Starts RootCanal on free ports; sets air_process and air_port.
start_air() {
  local attempt base ready
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    base=$((10000 + RANDOM % 5000 * 4))
    "$cache/rootcanal" "-hci_port=$base" "-test_port=$((base + 1))" "-link_port=$((base + 2))" \
      "-link_ble_port=$((base + 3))" </dev/null >/dev/null 2>&1 &
    air_process=$!
    air_port=$base
    for ready in $(seq 100); do
      kill -0 "$air_process" 2>/dev/null || break
      if listens "$air_process" "$base" && listens "$air_process" $((base + 3)); then return 0; fi
      sleep 0.02
    done
    kill -KILL "$air_process" 2>/dev/null || true
  done
  die "RootCanal doesn't start: .cache/rootcanal"
}
