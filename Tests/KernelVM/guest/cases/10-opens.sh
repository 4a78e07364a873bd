# A door opens to a holder over the kernel's channels: every carrier, legacy and extended.

case_user_channel() {
  start_controllers
  start_door hci:0
  for carrier in uuid128 name uuid16; do press hci:1 --carrier "$carrier"; done
  await_grants 3
  await_line door.json '"event":"lock".*"state":"open"'
  stop_door
}

case_user_channel_by_address() {
  start_controllers
  start_door "hci:$(address_of hci0)"
  press "hci:$(address_of hci1)"
  await_grants 1
}

case_user_channel_legacy_commands() {
  start_controllers
  start_door hci:0 'radio-commands: legacy'
  for carrier in uuid128 name uuid16; do press hci:1 --carrier "$carrier" --radio-commands legacy; done
  await_grants 3
}

case_user_channel_extended_packets() {
  start_controllers
  start_door hci:0
  for carrier in uuid128 name uuid16; do press hci:1 --carrier "$carrier" --pdu extended; done
  await_grants 3
}

case_bluetooth_4() {
  start_controllers -U2
  start_door hci:0
  press hci:1
  await_grants 1
}

# Beside the kernel's own host, which has the adapters up.
case_raw_channel() {
  start_controllers
  up hci0
  up hci1
  start_door hci-raw:0
  for carrier in uuid128 name uuid16; do press hci-raw:1 --carrier "$carrier"; done
  await_grants 3
  stop_door
  expect_radio hci0 on
}

case_raw_channel_extended_packets() {
  start_controllers
  up hci0
  up hci1
  start_door hci-raw:0
  press hci-raw:1 --pdu extended
  await_grants 1
}

# The number that is asked for is the one that is used.
case_device_number() {
  start_controllers
  start_door hci:1
  expect_radio hci1 on latchkeyd
  expect_radio hci0 powered-off nobody
  press hci:0
  await_grants 1
}

# The channel is free again as soon as a program has ended.
case_again_and_again() {
  start_controllers
  for round in 1 2 3 4 5; do expect_exit 0 send hci:0; done
  for round in 1 2 3; do
    start_door hci:1
    stop_door
  done
}
