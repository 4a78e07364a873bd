# The controller goes while the door scans, and comes back. That it may have another number then is shown by the end-to-end
# tests: the address of BlueZ's virtual controllers is made of their number.

case_unplugged_adapter() {
  start_controllers
  start_door "hci:$(address_of hci0)"
  finish "$air" KILL
  await_radio unknown "is gone"
  await 30 "adapters that go" has_adapters 0
  await_radio unknown "no adapter is there"
  start_controllers
  await_line door.json '"event":"radio","state":"on"' 2
  expect_radio hci0 on "latchkeyd (process $door)"
  expect_no_line door.json '"event":"lock".*"state":"open"'
  press hci:1
  await_grants 1
  await_line door.json '"event":"lock".*"state":"open"'
  stop_door
}

# A predecessor that was killed while it advertised is still on the air; the next start ends that, whatever it is for.
case_killed_predecessor() {
  # These repeat what they send.
  start_controllers -U2
  start_door hci:1
  leave_on_air
  is_on_air || fail "an advert ended with its program: nothing is shown here"
  expect_exit 0 send hci:0
  if is_on_air; then fail "a holder's start left it on the air"; fi
  leave_on_air
  is_on_air || fail "an advert ended with its program: nothing is shown here"
  cp -r "$site" second
  sed -i 's/hci:1/hci:0/' second/latchkeyd.yaml
  # Else it would put something on the air itself.
  printf 'beacon-radio: none\n' >>second/latchkeyd.yaml
  start second.json latchkeyd run --config second/latchkeyd.yaml --json
  await_line second.json '"radio".*"state":"on"'
  if is_on_air; then fail "a door's start left it on the air"; fi
}

leave_on_air() {
  start killed.log latchkey broadcast 020106 --radio hci:0 --seconds 60 --json
  await 30 "advert on the air" is_on_air
  finish "$process" KILL
}

# Whether the door hears anything for a second. What was in the air before is let pass.
is_on_air() {
  local before
  usleep 300000
  before="$(reports)"
  sleep 1
  [ "$(reports)" -gt "$before" ]
}

# How many reports the door has counted so far.
reports() {
  local lines
  lines="$(grep -c '"event":"counters"' door.json || true)"
  kill -USR1 "$door"
  await_line door.json '"event":"counters"' $((lines + 1))
  sed -n 's/.*"event":"counters".*"reports":\([0-9]*\).*/\1/p' door.json | tail -n 1
}

# Off the air within a second of SIGTERM.
case_leaves_the_air() {
  start_controllers -U2
  start_door hci:1
  start sender.log latchkey broadcast 020106 --radio hci:0 --seconds 60
  await 30 "advert on the air" is_on_air
  finish "$process" TERM
  if is_on_air; then fail "it is still on the air"; fi
}
