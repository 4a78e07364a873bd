# Virtual controllers. Sourced by one-case.

# Starts two of BlueZ's: start_controllers [-l2 | -U2]. With -l2 they are of Bluetooth 5, and send an advert once for each
# enabling of advertising or scanning. With -U2 they are of Bluetooth 4, repeat it every 100 ms, and have no address: the
# kernel can't bring them up. Sets `air`.
start_controllers() {
  start air.log btvirt "${1:--l2}"
  air=$process
  await 30 "two adapters" has_adapters 2
  [ "${1:--l2}" != -l2 ] || await 30 "adapters that are set up" have_addresses 2
}


# Connections are named there too, hci0:42.
has_adapters() { [ "$(find /sys/class/bluetooth -name 'hci*' ! -name '*:*' 2>/dev/null | wc -l)" -eq "$1" ]; }

# The kernel knows an adapter's address once it has set it up.
have_addresses() { [ "$(hciconfig | grep 'BD Address' | grep -c -v '00:00:00:00:00:00')" -eq "$1" ]; }

# The address of an adapter: address_of hci0
address_of() { hciconfig "$1" | sed -n 's/.*BD Address: \([0-9A-F:]*\).*/\1/p'; }

up() { hciconfig "$1" up || fail "$1 doesn't go up"; }
down() { hciconfig "$1" down || fail "$1 doesn't go down"; }
