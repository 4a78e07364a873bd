# An adapter that can't be used: what is said, and the exit code. A door waits and says the same, unless waiting is in vain.

case_no_adapter() {
  expect_exit 5 send hci:0
  expect_text said "no adapter is there"
  expect_exit 5 latchkeyd radios
  expect_text said "no adapter is there"
  launch_door hci:0
  await_radio unknown "no adapter is there"
  # It comes late, and is found.
  start_controllers
  await 40 "radio that is on" door_hears
}

case_missing_adapter() {
  start_controllers
  expect_exit 5 send hci:7
  expect_text said "hci:7" "isn't there" "hci0 ($(address_of hci0))" "hci1 ($(address_of hci1))"
  expect_exit 5 send hci-raw:7
  expect_text said "hci-raw:7" "isn't there"
  expect_exit 5 send hci:0A:0B:0C:0D:0E:0F
  expect_text said "isn't there" "hci0"
  launch_door hci:7
  await_radio unknown "isn't there; there are hci0"
}

case_down_adapter() {
  start_controllers
  expect_radio hci0 powered-off nobody
  expect_exit 5 send hci-raw:0
  expect_text said "is down"
  launch_door hci-raw:0
  await_radio powered-off "is down"
}

# The kernel's own host has it up; no program is known that asked for it.
case_adapter_that_is_up() {
  start_controllers
  up hci0
  expect_radio hci0 on "the kernel"
  expect_exit 5 send hci:0
  expect_text said "is up" "--take-over" "hciconfig hciN down"
  launch_door hci:0
  await_radio unknown "is up.*--take-over"
  # Whoever takes it down lets the door have it.
  down hci0
  await 40 "radio that is on" door_hears
}

# A second start says who has it, and never "Input/output error".
case_adapter_of_another_program() {
  start_controllers
  start_door hci:0
  expect_radio hci0 on "latchkeyd (process $door)"
  for radio in hci:0 hci-raw:0; do
    expect_exit 5 send "$radio"
    expect_text said "latchkeyd (process $door)"
  done
  expect_exit 5 send hci:0 --take-over
  expect_text said "latchkeyd (process $door)" "can't take it"
  cp -r "$site" second
  start second.json latchkeyd run --config second/latchkeyd.yaml --json
  await_line second.json '"radio","state":"unknown".*latchkeyd \(process '"$door"'\)'
  expect_no_line second.json 'Input/output error'
  stop_door
  await_line second.json '"radio".*"state":"on"'
}

case_blocked_adapter() {
  start_controllers
  kill_switch="$(dirname "$(grep -l -x hci0 /sys/class/rfkill/*/name)")"
  echo 1 >"$kill_switch/soft"
  expect_radio hci0 powered-off rfkill
  expect_exit 5 send hci:0
  expect_text said rfkill soft "rfkill unblock"
  launch_door hci:0
  await_radio powered-off "rfkill.*soft"
  [ "$(cat "$kill_switch/soft")" = 1 ] || fail "it was unblocked unasked"
  echo 0 >"$kill_switch/soft"
  await 40 "radio that is on" door_hears
}

case_ordinary_user() {
  start_controllers
  up hci1
  expect_exit 77 /guest/as-user '' latchkey broadcast 020106 --radio hci:0 --seconds 0.1
  expect_text said CAP_NET_ADMIN AmbientCapabilities=
  # Without the capability the kernel takes LE Meta out of the filter, and says nothing.
  expect_exit 77 /guest/as-user '' latchkey broadcast 020106 --radio hci-raw:1 --seconds 0.1
  expect_text said CAP_NET_RAW AmbientCapabilities=
  expect_exit 0 /guest/as-user '' latchkeyd radios
  expect_text said unauthorized
  users_door hci:0
  expect_exit 77 /guest/as-user '' latchkeyd run --config own/latchkeyd.yaml
  expect_text said CAP_NET_ADMIN
  users_door hci-raw:1
  expect_exit 77 /guest/as-user '' latchkeyd run --config own/latchkeyd.yaml
  expect_text said CAP_NET_RAW
}

case_ordinary_user_with_capabilities() {
  start_controllers
  users_door hci:0
  start door.json /guest/as-user +net_admin latchkeyd run --config own/latchkeyd.yaml --json
  door=$process
  await 40 "radio that is on" door_hears
  expect_exit 0 /guest/as-user +net_admin latchkey broadcast 020106 --radio hci:1 --seconds 0.1
  up hci1
  expect_exit 0 /guest/as-user +net_raw latchkey broadcast 020106 --radio hci-raw:1 --seconds 0.1
}

# The door's files, the user's own: users_door RADIO
users_door() {
  configure "$1"
  rm -rf own
  cp -r "$site" own
  chown -R 1000:1000 own
  chmod 755 /tmp/case
}
