# A door opens to a holder, over each channel of the kernel and each carrier.

case_user_channel() {
  start_controllers
  start_door hci:0
  for carrier in uuid128 name uuid16; do press hci:1 --carrier "$carrier"; done
  await_grants 3
  stop_door
  grep -q '"event":"lock".*"state":"open"' door.json || fail "the lock didn't open"
}

case_user_channel_by_address() {
  start_controllers
  start_door "hci:$(address_of hci0)"
  press "hci:$(address_of hci1)"
  await_grants 1
}

case_raw_channel() {
  start_controllers
  up hci0
  up hci1
  start_door hci-raw:0
  for carrier in uuid128 name uuid16; do press hci-raw:1 --carrier "$carrier"; done
  await_grants 3
  stop_door
}
