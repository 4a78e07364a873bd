# A siren at line 6: its relay's bit stands in the register beside the lock's.

sounding=40

# The lock doesn't move for an alarm, and only its end, or the daemon's, silences the siren.
case_gpio_siren() {
  devmem $gpio_input 32 $shut
  door_more=", sensor: { gpio: { chip: gpiochip0, line: 2, debounce: 300ms } }, siren: { gpio: { chip: gpiochip0, line: 6 } }"
  start_relay_door
  await 10 "door that is seen shut" contact_is closed
  devmem $gpio_input 32 $open
  await_line door.json '"event":"forced"'
  await_level $sounding 1
  await_line door.json '"event":"siren".*"state":"on"'
  devmem $gpio_input 32 $shut
  await_level $low 2
  await_line door.json '"event":"siren".*"state":"off"'
  devmem $gpio_input 32 $open
  await_level $sounding 2
  finish "$door" KILL
  await_level $low 3
  finish_trace
  [ -z "$(edges_to $high)" ] || fail "the lock moved"
}
