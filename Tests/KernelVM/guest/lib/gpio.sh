# The GPIO chip, a lock on its line 5, and the trace of its output register. Sourced by one-case.

chip=AMDIF030:00
# The output register of host/gpio-chip.py's chip, and what it holds while line 5 is high.
gpio_output=0x10000008
# Its input register, which nothing drives but the test.
gpio_input=0x10000004
high=20
low=00

# Finds the chip, puts its register to a value, and begins the trace: start_chip [VALUE]
start_chip() {
  modprobe gpio-amdpt
  await 30 "GPIO chip" test -c /dev/gpiochip0
  devmem $gpio_output 32 "0x${1:-$low}"
  start edges.log edges $gpio_output
  edges=$process
  await_line edges.log " ${1:-$low} "
}

# The chip that tells edges: its registers, one for each line, and its driver's name.
edge_chip=AMDI0030:00
edge_registers=$((0x10001000))
edge_driver=/sys/bus/platform/drivers/amd_gpio

# Sets a line of the chip that tells edges, and raises its interrupt: set_edge_line LINE LEVEL
set_edge_line() {
  local register=$((edge_registers + 4 * $1)) value
  value=$(($(devmem $register 32)))
  # PIN_STS, and INTERRUPT_STS (drivers/pinctrl/pinctrl-amd.h).
  devmem $register 32 $(((value & ~0x10000) | ($2 << 16) | 0x10000000))
  devmem $((edge_registers + 0x2f8)) 32 $((1 << ($1 / 4)))
  # "Write keyboard output buffer" of the keyboard's controller, and what is to be in it.
  printf '\322' | dd of=/dev/port bs=1 seek=$((0x64)) conv=notrunc 2>/dev/null
  printf '\0' | dd of=/dev/port bs=1 seek=$((0x60)) conv=notrunc 2>/dev/null
}

# Starts controllers, chip and a door with a relay at line 5: start_relay_door [PULSE]
start_relay_door() {
  door_lock="{ gpio: { chip: gpiochip0, line: 5 } }"
  door_pulse="${1:-1s}"
  start_controllers
  start_chip
  start_door hci:0 "metrics: $PWD/door.prom"
  await_line door.json '"event":"lock".*"state":"closed"'
}

# Waits for the so manieth time that the register holds a value: await_level VALUE COUNT
await_level() { await_line edges.log "^[0-9]+ $1 " "$2"; }

# The moments of the register's changes to a value, in milliseconds by CLOCK_BOOTTIME: edges_to VALUE
edges_to() { awk -v value="$1" '$2 == value { printf "%.1f\n", $1 / 1000000 }' edges.log; }

# The moment that a register changed to a value last, in whole milliseconds; 0: never.
last_edge_to() { edges_to "$1" | tail -n 1 | cut -d. -f1; }

# Now, in milliseconds by CLOCK_BOOTTIME, to the hundredth of a second.
now_ms() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }

# How late the trace may be: how long it once didn't look, in whole milliseconds. Ends the trace.
finish_trace() {
  finish "$edges"
  cat edges.log
  gap=$(($(sed -n 's/^gap //p' edges.log) / 1000000))
}

# Fails unless a number lies between two others: expect_between WHAT NUMBER FROM TO
expect_between() {
  [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1: $2, not $3 to $4"
  note "$1: $2 (must be $3 to $4)"
}

# Fails unless there were so many pulses, those of the first grants, each as long as it should be: expect_pulses COUNT
# MILLISECONDS
#
# A pulse ends that long behind the moment when the lock is told; what it takes to reach the line is off its length. On a busy
# machine, emulated at that, this takes a while: the wall clock by the edge tells how long at most, from the frame on. What
# the decision's record took of that is not off the pulse (decision 0081).
expect_pulses() {
  local grant=0 up down wall late length all=0 disk most
  finish_trace
  awk -v high=$high '$2 == high { up = $1; wall = $3 } $2 != high && up { print up, $1, wall; up = 0 }' edges.log >pulses
  [ "$(wc -l <pulses)" -eq "$1" ] || fail "$(wc -l <pulses) pulses instead of $1"
  while read -r up down wall; do
    grant=$((grant + 1))
    late=$((wall - $(granted_at $grant)))
    [ "$late" -ge 0 ] || late=0
    all=$((all + late))
    echo $(((down - up) / 1000000)) $late
  done <pulses >lengths
  disk="$(recording "$1")"
  most=$((all - disk))
  [ "$most" -ge 0 ] || most=0
  while read -r length late; do
    [ "$late" -le "$most" ] || late=$most
    expect_between "pulse in ms (recorded for $disk ms; $late ms at most from there to the line; the trace once looked away for $gap)" \
      "$length" $(($2 - 50 - gap - late)) $(($2 + 50 + gap))
  done <lengths
}

# For how long so many grants were recorded, all together, in whole milliseconds by the daemon's metrics at its end; 0 where it
# isn't known of just these: recording COUNT
recording() {
  [ -e door.prom ] || {
    echo 0
    return
  }
  awk -v wanted="$1" '$1 == "latchkey_record_latency_seconds_count" { count = $2 }
    $1 == "latchkey_record_latency_seconds_sum" { durable = $2 }
    $1 == "latchkey_decision_latency_seconds_sum" { decided = $2 }
    END { print(count == wanted && durable > decided ? int((durable - decided) * 1000) : 0) }' door.prom
}

# When the so manieth grant or exit was, in milliseconds of Unix time: granted_at COUNT. What a daemon before this one told is
# in earlier.json.
granted_at() {
  local text
  text="$(cat earlier.json door.json 2>/dev/null | grep -E '"event":"(granted|exit)"' | sed -n "$1p" | sed 's/.*"time":"\([^"]*\)Z".*/\1/; s/T/ /')"
  echo "$(date -u -d "${text%.*}" +%s)${text#*.}"
}

# The number of the guard's process.
guard() { pidof latchkey-relay || fail "no guard runs"; }

no_guard() { ! pidof latchkey-relay >/dev/null; }
