# A lock on a GPIO line, by a relay guard: what the line does is seen in the chip's register, from outside.

case_gpio_grant() {
  start_relay_door
  await 5 "consumer in the kernel's list" grep -q 'gpio-.*|latchkey front .*) out lo' /sys/kernel/debug/gpio
  # The guard has no right left.
  tr '\t' ' ' <"/proc/$(guard)/status" >rights
  expect_text rights "Uid: 65534 65534 65534 65534" "Gid: 65534 65534 65534 65534" "CapPrm: 0000000000000000" \
    "CapEff: 0000000000000000" "NoNewPrivs: 1"
  press hci:1
  await_level $high 1
  await_level $low 2
  await_line door.json '"event":"lock".*"state":"closed"' 2
  stop_door
  await 5 "end of the guard" no_guard
  expect_pulses 1 1000
}

# The second one begins while the first goes on: one pulse, and its end is the second one's.
case_gpio_overlapping_grants() {
  start_relay_door 10s
  press hci:1
  await_level $high 1
  sleep 1
  press hci:1
  await_grants 2
  await_level $low 2
  finish_trace
  [ "$(edges_to $high | wc -l)" -eq 1 ] || fail "more than one pulse"
  # The wall clock stands by each edge, in milliseconds. The second grant took as long to be recorded as the first, about.
  late=$(($(awk -v high=$high '$2 == high { print $3; exit }' edges.log) - $(granted_at 1)))
  expect_between "ms from the second grant to the end (the first one's pulse began $late ms behind it)" \
    $(($(awk -v low=$low '$2 == low { wall = $3 } END { print wall }' edges.log) - $(granted_at 2))) \
    $((10000 - 50 - gap)) $((10000 + 50 + gap + late))
}

case_gpio_daemon_killed() {
  start_relay_door 20s
  press hci:1
  await_level $high 1
  killed="$(now_ms)"
  finish "$door" KILL
  await_level $low 2
  await 5 "end of the guard" no_guard
  finish_trace
  expect_between "ms from the kill to the end" $(($(last_edge_to $low) - killed)) -10 1000
  # The next start closes what is closed: no edge.
  start edges.log edges $gpio_output
  await_line edges.log " $low "
  start_door hci:0
  await_line door.json "the last run ended in mid-pulse"
  [ "$(grep -c '^[0-9]' edges.log)" -eq 1 ] || fail "the start moved the line"
  press hci:1
  await_level $high 1
  stop_door
  await_level $low 2
}

case_gpio_guard_killed() {
  start_relay_door 20s
  press hci:1
  await_level $high 1
  killed="$(now_ms)"
  kill -KILL "$(guard)"
  await_level $low 2
  await_line door.json '"event":"lock-failed".*"state":"open".*SIGKILL'
  await_line door.json '"event":"lock".*"state":"closed"' 2
  expect_between "ms from the kill to the end" $(($(last_edge_to $low) - killed)) -10 1000
  # The new guard does its work.
  press hci:1
  await_level $high 2
  stop_door
  await_level $low 3
}

# Both die at once, and this chip leaves the line as it was driven last: the gap that a timer relay closes. What a unit's
# ExecStopPost runs, or the next start, ends it.
case_gpio_both_killed() {
  start_relay_door 20s
  press hci:1
  await_level $high 1
  kill_both
  sleep 2
  [ "$(edges_to $low | wc -l)" -eq 1 ] || fail "the line fell: then there is no gap here, and docs/operations.md is wrong"
  expect_exit 0 latchkey-relay --chip gpiochip0 --line 5
  await_level $low 2
  start_door hci:0
  press hci:1
  await_level $high 2
  kill_both
  sleep 1
  start_door hci:0
  await_level $low 3
  await_line door.json "the last run ended in mid-pulse"
  stop_door
}

# The guard is stopped first, so that it can't see the daemon die.
kill_both() {
  local guard
  guard="$(guard)"
  kill -STOP "$guard"
  kill -KILL "$door" "$guard"
  wait "$door" 2>/dev/null || true
}

case_gpio_daemon_stopped() {
  start_relay_door 20s
  press hci:1
  await_level $high 1
  stopped="$(now_ms)"
  kill -STOP "$door"
  await_level $low 2
  # Two seconds after the last beat, which was half a second ago at most.
  expect_between "ms from the stop to the end" $(($(last_edge_to $low) - stopped)) 1400 2500
  kill -CONT "$door"
  await_line door.json '"event":"lock-failed".*"state":"open".*shut by itself'
  press hci:1
  await_level $high 2
  stop_door
  await_level $low 3
}

case_gpio_wall_clock_stepped() {
  start_relay_door 3s
  press hci:1
  await_level $high 1
  date -s "@$(($(date +%s) + 7200))"
  usleep 500000
  date -s "@$(($(date +%s) - 14400))"
  usleep 500000
  date -s "@$(($(date +%s) + 7200))"
  await_level $low 2
  stop_door
  expect_pulses 1 3000
}

# The disk fills in mid-pulse: the pulse ends at its time, and what can't be recorded opens nothing until there is room again.
case_gpio_disk_full() {
  mkdir -p /tmp/small
  mount -t tmpfs -o size=4m tmpfs /tmp/small
  cp -r "$site"/* /tmp/small
  site=/tmp/small
  start_relay_door 3s
  # The holder's disk is another.
  site=/tmp/site
  # A copy isn't the newest state: as after a first start, time frames wait.
  sleep 4
  press hci:1
  await_level $high 1
  dd if=/dev/zero of=/tmp/small/fill bs=1k 2>/dev/null && fail "the disk isn't full"
  await_level $low 2
  await_line door.json '"event":"ledger","state":"failed"'
  press hci:1
  kill -USR1 "$door"
  # The end of the pulse, and the grant.
  await_line door.json '"event":"counters".*"granted":1,.*"ledgerFailures":[2-9]'
  rm /tmp/small/fill
  # Its frame of before is spent, and a press is remembered where it was recorded only.
  press hci:1
  await_level $high 2
  await_level $low 3
  stop_door
  expect_pulses 2 3000
  umount /tmp/small
}

case_gpio_fifty_starts() {
  door_lock="{ gpio: { chip: $chip, line: 5 } }"
  start_chip
  for round in $(seq 50); do
    launch_door tcp:127.0.0.1:1
    await_line door.json '"event":"lock".*"state":"closed"'
    stop_door
  done
  finish_trace
  [ "$(grep -c '^[0-9]' edges.log)" -eq 1 ] || fail "the line moved"
  note "edges: none; the trace once looked away for $gap ms"
}

case_gpio_reload_in_mid_pulse() {
  start_relay_door 3s
  before="$(guard)"
  press hci:1
  await_level $high 1
  for round in 1 2 3; do
    kill -HUP "$door"
    await_line door.json '"event":"reloaded"' "$round"
  done
  await_level $low 2
  [ "$(guard)" = "$before" ] || fail "another guard"
  stop_door
  expect_pulses 1 3000
}

# Another line by a reload: the old one is let go closed, the new one is requested closed.
case_gpio_reload_changes_the_line() {
  start_relay_door 20s
  door_lock="{ gpio: [{ chip: $chip, line: 5 }, { chip: $chip, line: 6 }] }"
  configure hci:0 "metrics: $PWD/door.prom"
  kill -HUP "$door"
  await_line door.json '"event":"reloaded"'
  await 10 "two guards" two_guards
  press hci:1
  await_level 60 1
  stop_door
  await_level $low 2
}

two_guards() { [ "$(pidof latchkey-relay | wc -w)" -eq 2 ] && grep -q 'gpio-.*latchkey' /sys/kernel/debug/gpio; }

# The safe level is the high one: it stays there through starts and stops, and falls for the pulse.
case_gpio_active_low() {
  door_lock="{ gpio: { chip: $chip, line: 5, active-low: true } }"
  start_controllers
  start_chip $high
  start_door hci:0
  press hci:1
  await_level $low 1
  await_level $high 2
  stop_door
  finish_trace
  [ "$(grep -c '^[0-9]' edges.log)" -eq 3 ] || fail "not one pulse"
}

# The guard of a user who may open the chip, and who has a right that it doesn't need.
case_gpio_guard_of_an_ordinary_user() {
  start_chip
  chmod 666 /dev/gpiochip0
  { echo hold && sleep 60; } | /guest/as-user +net_admin latchkey-relay --chip $chip --line 5 --heartbeat 60s >guard.log &
  await_level $high 1
  tr '\t' ' ' <"/proc/$(guard)/status" >rights
  expect_text rights "Uid: 1000 1000 1000 1000" "CapPrm: 0000000000000000" "CapEff: 0000000000000000" \
    "CapAmb: 0000000000000000" "NoNewPrivs: 1"
  grep -q '^Max open files *2 *2' "/proc/$(guard)/limits" || fail "it can open files"
  # No signal that can be caught ends it without shutting.
  kill -USR1 "$(guard)"
  await_level $low 2
  await 5 "end of the guard" no_guard
  [ "$(tr '\n' ' ' <guard.log)" = "closed open " ] || fail "it said $(cat guard.log)"
}

# What can't be had is said, and the door goes on.
case_gpio_no_line() {
  start_controllers
  start_chip
  door_lock="{ gpio: { chip: gpiochip0, line: 8 } }"
  start_door hci:0
  await_line door.json '"event":"lock-failed".*gpiochip0 has 8 lines, and no line 8'
  finish "$door"
  [ "$status" -eq 69 ] || fail "latchkeyd ended with $status"
  # A line that somebody else has.
  sleep 30 | latchkey-relay --chip gpiochip0 --line 5 >other.log &
  other=$!
  await_line other.log closed
  expect_exit 69 latchkey-relay --chip $chip --line 5
  expect_text said "error line 5 of $chip: Device or resource busy"
  finish "$other"
}

# A line by its name; two of one name are refused.
case_gpio_line_by_name() {
  start_chip
  { echo hold && sleep 1; } | latchkey-relay --chip $chip --line relay >guard.log
  await_level $high 1
  await_level $low 2
  expect_exit 69 latchkey-relay --chip $chip --line twice
  expect_text said "error $chip has more than one line with the name twice"
  expect_exit 69 latchkey-relay --chip gpiochip0 --line motor
  expect_text said "error gpiochip0 has no line with the name motor"
}
