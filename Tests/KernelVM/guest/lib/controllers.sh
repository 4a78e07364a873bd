# Virtual controllers. Sourced by one-case.

# Starts BlueZ's: start_controllers [-l2 | -U2]. With -l2 those of a whole Bluetooth 5, which send an advert once for each
# enabling of advertising or scanning; with -U2 such of Bluetooth 4, which repeat it every 100 ms. Sets `air`.
start_controllers() {
  start air.log btvirt "${1:--l2}"
  air=$process
  await 30 "two adapters" has_adapters 2
}

end_controllers() {
  finish "$air"
  await 30 "adapters that go" has_adapters 0
}

has_adapters() { [ "$(ls /sys/class/bluetooth 2>/dev/null | grep -c '^hci[0-9]*$')" -eq "$1" ] && is_set_up "$1"; }

# Once the kernel has asked a new controller for all that it wants to know, it has an address.
is_set_up() { [ "$(hciconfig | grep 'BD Address' | grep -c -v '00:00:00:00:00:00')" -eq "$1" ]; }

# The address of an adapter: address_of hci0
address_of() { hciconfig "$1" | sed -n 's/.*BD Address: \([0-9A-F:]*\).*/\1/p'; }

up() { hciconfig "$1" up || fail "$1 doesn't go up"; }
down() { hciconfig "$1" down || fail "$1 doesn't go down"; }
