# Beside BlueZ's daemon, which has the adapters and powers them by itself.

case_bluetoothd() {
  start_controllers
  start_bluetoothd
  expect_radio hci0 on bluetoothd
  launch_door hci:0
  await_radio unknown "is up.*bluetoothd.*--take-over"
  finish "$door"
  expect_exit 5 send hci:1
  expect_text said "is up" bluetoothd --take-over

  start_door hci:0 '' --take-over
  expect_radio hci0 on latchkeyd
  press hci:1 --take-over
  await_grants 1
  stop_door
  for adapter in hci0 hci1; do await 30 "power of $adapter for bluetoothd" has_power "$adapter"; done
  start_door hci:0 'take-over: true'
  stop_door
  await 30 "power of hci0 for bluetoothd" has_power hci0
}

# The raw channel takes nothing from it.
case_bluetoothd_and_raw_channel() {
  start_controllers
  start_bluetoothd
  start_door hci-raw:0
  press hci-raw:1
  await_grants 1
  has_power hci0 || fail "bluetoothd lost hci0"
}

start_bluetoothd() {
  mkdir -p /run/dbus
  rm -f /run/dbus/pid /run/dbus/system_bus_socket
  start dbus.log dbus-daemon --system --nofork --nopidfile
  await 30 "system bus" test -S /run/dbus/system_bus_socket
  start bluetoothd.log bluetoothd --nodetach
  for adapter in hci0 hci1; do await 60 "power of $adapter" has_power "$adapter"; done
}

# Whether BlueZ says that it has an adapter, and that it is on.
has_power() {
  dbus-send --system --print-reply --reply-timeout=5000 --dest=org.bluez "/org/bluez/$1" \
    org.freedesktop.DBus.Properties.Get string:org.bluez.Adapter1 string:Powered 2>&1 | grep -q 'boolean true'
}
