# Contact and button of a door on GPIO lines: the first chip tells no edges, so that its lines are looked at. Its input register
# is set from outside: line 2 is high while the door is open, line 3 low while somebody presses.

shut=0x08
open=0x0c
shut_pressed=0x00

# Starts a door with a relay at line 5, which is shut and seen so.
start_watched_door() {
  devmem $gpio_input 32 $shut
  door_more=", exit-pulse: 2s, shunt: 1s,
    sensor: { gpio: { chip: gpiochip0, line: 2, debounce: 300ms } },
    request-to-exit: { gpio: { chip: $chip, line: 3, active-low: true, bias: disabled, debounce: 100ms } }"
  start_relay_door "${1:-1s}"
  await 5 "contact in the kernel's list" grep -q 'gpio-.*|latchkey front .*) in ' /sys/kernel/debug/gpio
  await 10 "door that is seen shut" contact_is closed
}

contact_is() { latchkeyd status --config "$site/latchkeyd.yaml" --json | grep -q "\"contact\":\"$1\""; }

# How many events of a kind there are: events KIND
events() { grep -c "\"event\":\"$1\"" door.json || true; }

case_inputs_forced_and_restored() {
  start_watched_door
  # It bounces: that is one opening.
  for level in $open $shut $open $shut $open; do devmem $gpio_input 32 $level; done
  await_line door.json '"event":"forced"'
  contact_is open || fail "the contact isn't open"
  expect_exit 1 latchkeyd health --config "$site/latchkeyd.yaml"
  expect_text said "door front was forced open"
  devmem $gpio_input 32 $shut
  await_line door.json '"event":"restored"'
  [ "$(events opened)" -eq 1 ] && [ "$(events closed)" -eq 1 ] || fail "a bounce was told"
  # Shorter than the debouncing: nothing.
  devmem $gpio_input 32 $open
  devmem $gpio_input 32 $shut
  sleep 1
  [ "$(events opened)" -eq 1 ] || fail "a glitch was told"
  stop_door
  finish_trace
  [ -z "$(edges_to $high)" ] || fail "the lock moved"
}

case_inputs_exit() {
  start_watched_door
  devmem $gpio_input 32 $shut_pressed
  await_level $high 1
  devmem $gpio_input 32 $shut
  devmem $gpio_input 32 $open
  await_line door.json '"event":"opened".*"detail":"by an exit"'
  await_level $low 2
  devmem $gpio_input 32 $shut
  await_line door.json '"event":"closed"'
  [ "$(events exit)" -eq 1 ] && [ "$(events forced)" -eq 0 ] || fail "not one exit and no alarm"
  stop_door
  expect_pulses 1 2000
}

case_inputs_entry() {
  # Longer than a press lasts.
  start_watched_door 5s
  press hci:1
  await_level $high 1
  devmem $gpio_input 32 $open
  await_line door.json '"event":"opened".*"detail":"by a grant"'
  entry="$(sed -n 's/.*"event":"opened","id":\([0-9]*\),.*/\1/p' door.json)"
  expect_text door.json "\"event\":\"granted\",\"id\":$entry,"
  stop_door
}

# A button that is pressed when the door starts opens nothing.
case_inputs_pressed_at_the_start() {
  start_watched_door
  devmem $gpio_input 32 $shut_pressed
  await_line door.json '"event":"exit"'
  stop_door
  launch_door tcp:127.0.0.1:1
  await_line door.json '"event":"lock".*"state":"closed"'
  await 10 "exit in the status" exit_is_on
  sleep 1
  [ "$(events exit)" -eq 0 ] || fail "the start let somebody out"
  devmem $gpio_input 32 $shut
  stop_door
}

exit_is_on() { latchkeyd status --config "$site/latchkeyd.yaml" --json | grep -q '"exitSeconds":'; }

# A line that somebody else has is told, and taken when it is free.
case_inputs_line_taken() {
  start_chip
  sleep 30 | latchkey-relay --chip gpiochip0 --line 2 >other.log &
  await_line other.log closed
  door_more=", sensor: { gpio: { chip: gpiochip0, line: 2 } }"
  launch_door tcp:127.0.0.1:1
  await_line door.json '"event":"input".*"state":"lost".*sensor: line 2 of gpiochip0: Device or resource busy'
  kill "$(guard)"
  await_line door.json '"event":"input".*"state":"found"'
  await 10 "door that is seen" contact_is closed
  stop_door
}

# A chip that tells edges: the kernel says so, and each edge is an interrupt.
case_inputs_by_edges() {
  start_chip
  [ -e "$edge_driver/$edge_chip" ] || echo $edge_chip >"$edge_driver/bind"
  await 10 "chip that tells edges" test -c /dev/gpiochip1
  door_more=", sensor: { gpio: { chip: $edge_chip, line: 2, debounce: 300ms } }"
  launch_door tcp:127.0.0.1:1
  await 10 "door that is seen shut" contact_is closed
  before="$(interrupts)"
  for level in 1 0 1; do set_edge_line 2 $level; done
  await_line door.json '"event":"forced"'
  set_edge_line 2 0
  await_line door.json '"event":"restored"'
  [ "$(events opened)" -eq 1 ] || fail "a bounce was told"
  [ "$(interrupts)" -gt "$before" ] || fail "no interrupt: $(cat /proc/interrupts)"
  note "interrupts of the contact: $(($(interrupts) - before)), for four edges"
  stop_door
  ! grep -q 'latchkey front' /proc/interrupts || fail "the line is still held"
}

# How many interrupts the door's line has had.
interrupts() { awk '/latchkey front/ { print $2 + $3; found = 1 } END { if (!found) print -1 }' /proc/interrupts; }
