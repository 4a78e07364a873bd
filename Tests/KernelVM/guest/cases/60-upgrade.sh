# A newer version is put into place while a relay is on, as dpkg does it and the package's postinst (config/debian/postinst).

# Each program is replaced by a rename; the daemon goes on with what it has.
replace_programs() {
  local name
  for name in latchkeyd latchkey-relay; do
    cp "/usr/bin/$name" "/usr/bin/$name.dpkg-new"
    mv -f "/usr/bin/$name.dpkg-new" "/usr/bin/$name"
  done
}

# The daemon of a service manager, which is this script. Nobody reads what it is told.
start_managed_door() {
  export NOTIFY_SOCKET=/tmp/case/manager
  start_relay_door "$1"
}

# Waits for the old daemon's end, which is nobody's signal, and starts the new one.
renew_door() {
  await "$1" "end of the old daemon" old_daemon_ended
  status=0
  wait "$door" || status=$?
  [ "$status" -eq 0 ] || fail "the old daemon ended with $status"
  cat door.json >>earlier.json
  start_door hci:0
  await_line door.json '"event":"lock".*"state":"closed"'
}

old_daemon_ended() { grep -q '"event":"stopped"' door.json && ! grep -q '^State:.[^Z]' "/proc/$door/status" 2>/dev/null; }

case_gpio_upgrade_in_mid_pulse() {
  start_managed_door 15s
  press hci:1
  await_level $high 1
  replace_programs
  expect_exit 0 latchkeyd restart --config "$site/latchkeyd.yaml"
  expect_text said "as soon as front is closed"
  readlink "/proc/$door/exe" | grep -q deleted || fail "the programs weren't replaced"
  renew_door 40
  # The new guard is of the new program too.
  press hci:1
  await_level $high 2
  await_level $low 3
  stop_door
  expect_pulses 2 15000
}

# At rest the change is at once, and makes no edge.
case_gpio_upgrade_at_rest() {
  start_managed_door 1s
  replace_programs
  expect_exit 0 latchkeyd restart --config "$site/latchkeyd.yaml"
  renew_door 10
  stop_door
  finish_trace
  [ "$(grep -c '^[0-9]' edges.log)" -eq 1 ] || fail "the line moved"
}
