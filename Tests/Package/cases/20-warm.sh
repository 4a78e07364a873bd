# In a bare system that runs, with a door over the virtual radio. Sourced by Tests/Package/run.
# shellcheck shell=bash

# The trace of the lock: when its program ran (hundredths of a second since the boot of this machine), and what it was.
trace() { inside cat /run/latchkey/trace; }

# Boots, and lays out what a door needs; the package isn't there yet.
start_warm_system() {
  fresh_system warm
  cp "$old" "$new" "$system/srv/"
  start_air
  site="$work/site"
  rm -rf "$site"
  mkdir "$site"
  export LATCHKEY_SITE="$site/keys" LATCHKEY_CREDENTIAL="$site/alice.json"
  keys() { "$static/release/latchkey-keys" "$@"; }
  {
    keys init --name Package --timezone UTC
    keys door add front
    keys issue alice --holder Alice --doors front --commands unlock,hold,release,lockdown --out "$site/alice.json"
    keys export front --out "$site/front.bundle"
  } >"$work/keys.log"
  boot_system
}

# The package as a person installs it in a system that runs.
install_in() {
  inside env DEBIAN_FRONTEND=noninteractive dpkg --install "/srv/${1##*/}" >"$work/dpkg.log" 2>&1 ||
    fail "dpkg ended with $?: $(cat "$work/dpkg.log")"
  cat "$work/dpkg.log"
  if grep -i -E 'warning|error|fail|can.t|cannot' "$work/dpkg.log"; then fail "dpkg complains"; fi
}

# Writes the door's configuration: configure [more lines of the door]
configure() {
  cat >"$work/latchkeyd.yaml" <<YAML
radio: tcp:127.0.0.1:$air_port
site-key: $("$static/release/latchkey-keys" public-key)
state: /var/lib/latchkey/state.db
clock: battery
doors:
  front:
    bundle: front.bundle
    pulse: 1s
    lock:
      command:
        unlock: [/usr/local/libexec/door-lock, open]
        lock: [/usr/local/libexec/door-lock, close]
YAML
  inside tee /etc/latchkey/latchkeyd.yaml <"$work/latchkeyd.yaml" >/dev/null
}

# Whether the service's journal has a line with PATTERN, in either case: journal_says PATTERN. It is read to its end: a reader that
# leaves early would end journalctl with SIGPIPE, and the pipe with it.
journal_says() { inside journalctl -u latchkeyd --no-pager -o cat | grep -i -e "$1" >/dev/null; }

property() { inside systemctl show --property "$1" --value latchkeyd.service; }
is_state() { [ "$(property ActiveState)" = "$1" ]; }
holder() { "$static/release/latchkey" "$1" front --radio "tcp:127.0.0.1:$air_port" --state "$site/holder" --timeout 10s "${@:2}"; }
is_new_daemon() { is_state active && [ "$(property MainPID)" != "$1" ]; }

# The moments at which the lock changed, as "SECONDS open|close": the lock's program also runs where nothing changes.
changes() { trace | awk '$2 != last { print } { last = $2 }'; }
moved_to() { [ "$(trace | tail -n 1 | cut -d' ' -f2)" = "$1" ]; }
forget_trace() { inside sh -c 'echo "$(cut -d" " -f1 /proc/uptime) close" >/run/latchkey/trace && chown latchkey: /run/latchkey/trace'; }

# Fails unless since `forget_trace` the lock opened once and closed so many seconds later, to a tenth: expect_pulse SECONDS
expect_pulse() {
  changes
  [ "$(changes | wc -l)" -eq 3 ] || fail "the lock moved another number of times than twice"
  changes | awk -v wanted="$1" 'NR == 2 { up = $1 } NR == 3 { length_ = $1 - up; printf "note: open for %.2f s (must be %s)\n", length_, wanted
    exit !(length_ > wanted - 0.1 && length_ < wanted + 0.5) }' || fail "the pulse has another length"
}

# Fails unless it never moved: expect_still open|close
expect_still() { [ "$(changes | tail -n +2 | wc -l)" -eq 0 ] && moved_to "$1" || fail "the lock moved: $(changes | tr '\n' ' ')"; }

# Nothing starts before there is a door; then it is ready once the lock is closed and the radio on.
case_warm_first_start() {
  install_in "$old"
  is_state inactive || fail "started without a bundle: $(property ActiveState)"
  inside install -d /usr/local/libexec /etc/systemd/system/latchkeyd.service.d
  printf '#!/bin/sh\necho "$(cut -d" " -f1 /proc/uptime) $1" >>/run/latchkey/trace\n' |
    inside sh -c 'cat >/usr/local/libexec/door-lock && chmod 755 /usr/local/libexec/door-lock'
  # What docs/operations.md says of a tcp: radio, and a watchdog that a test can wait for.
  printf '[Service]\nRestrictAddressFamilies=AF_INET\nIPAddressAllow=localhost\nWatchdogSec=6s\n' |
    inside sh -c 'cat >/etc/systemd/system/latchkeyd.service.d/test.conf'
  configure
  inside sh -c 'cat >/etc/latchkey/front.bundle && chown latchkey: /etc/latchkey/front.bundle && chmod 600 /etc/latchkey/front.bundle' <"$site/front.bundle"
  inside systemctl daemon-reload
  inside systemctl start latchkeyd.service || fail "it doesn't start: $(inside journalctl -u latchkeyd --no-pager -n 20)"
  is_state active
  [ "$(trace | sed -n 1p | cut -d' ' -f2)" = close ] || fail "the first thing that the lock did: $(trace)"
  expect status "$(property StatusText)" well
  inside latchkeyd health --config /etc/latchkey/latchkeyd.yaml
  [ "$(inside stat -c %U:%a /run/latchkey/control.sock)" = latchkey:600 ] || fail "the control socket is another's"
  # Who it is, and that a lock's program would get nothing of what it may.
  inside sh -c 'tr "\t" " " <"/proc/$1/status"' sh "$(property MainPID)" >"$work/rights"
  grep -q '^CapEff: 0000000000001000$' "$work/rights" && grep -q '^CapAmb: 0000000000000000$' "$work/rights" &&
    grep -q '^NoNewPrivs: 1$' "$work/rights" && grep -q '^Seccomp: 2$' "$work/rights" || fail "rights: $(cat "$work/rights")"
}

case_warm_reload() {
  forget_trace
  inside systemctl reload latchkeyd.service
  await 10 "reload" journal_says reloaded
  await 10 "state" is_state active
  expect_still close
}

# A newer package in mid-pulse: the pulse ends at its time, and then the new daemon is there.
case_warm_upgrade_in_mid_pulse() {
  forget_trace
  before="$(property MainPID)"
  inside latchkeyd test-lock front --seconds 8 --config /etc/latchkey/latchkeyd.yaml >"$work/test-lock" 2>&1 &
  await 10 "opening" moved_to open
  install_in "$new"
  moved_to open || fail "the upgrade closed the lock"
  [ "$(property MainPID)" = "$before" ] || fail "the upgrade ended the daemon"
  wait $! || fail "test-lock: $(cat "$work/test-lock")"
  await 20 "new daemon" is_new_daemon "$before"
  expect_pulse 8
  [[ "$(inside readlink "/proc/$(property MainPID)/exe")" == */usr/sbin/latchkeyd ]] || fail "it isn't the new program"
}

# A door that is held open stays so through an upgrade; the new daemon comes when it is released.
case_warm_upgrade_of_a_held_door() {
  forget_trace
  holder hold || fail "hold ended with $?"
  await 10 "opening" moved_to open
  before="$(property MainPID)"
  install_in "$new"
  sleep 3
  expect health "$(inside latchkeyd health --config /etc/latchkey/latchkeyd.yaml)" \
    "well; warning: a restart is asked for, and waits for door front (held open)"
  [ "$(property MainPID)" = "$before" ] && [ "$(changes | wc -l)" -eq 2 ] || fail "the held door moved"
  holder release || fail "release ended with $?"
  await 20 "new daemon" is_new_daemon "$before"
  [ "$(changes | wc -l)" -eq 3 ] || fail "the lock moved: $(changes)"
}

# Killed in mid-pulse: the unit closes the lock, and the door is there again.
case_warm_killed() {
  forget_trace
  before="$(property MainPID)"
  inside latchkeyd test-lock front --seconds 20 --config /etc/latchkey/latchkeyd.yaml >/dev/null 2>&1 &
  await 10 "opening" moved_to open
  began="$(cut -d' ' -f1 /proc/uptime)"
  inside systemctl kill --signal=KILL --kill-who=main latchkeyd.service
  await 10 "closing" moved_to close
  changes | awk -v began="$began" 'NR == 3 { printf "note: closed %.2f s after the kill\n", $1 - began; exit !($1 - began < 1) }' ||
    fail "it closed too late"
  await 20 "new daemon" is_new_daemon "$before"
  await 10 "report" journal_says "the last run ended in mid-pulse"
}

# Stopped in its tracks, in mid-pulse: nobody but the manager's watchdog is left.
case_warm_hung() {
  forget_trace
  before="$(property MainPID)"
  inside latchkeyd test-lock front --seconds 30 --config /etc/latchkey/latchkeyd.yaml >/dev/null 2>&1 &
  await 10 "opening" moved_to open
  inside systemctl kill --signal=STOP --kill-who=main latchkeyd.service
  await 15 "closing" moved_to close
  await 20 "new daemon" is_new_daemon "$before"
  await 10 "watchdog in the journal" journal_says "watchdog timeout"
}

# An adapter that isn't there: the start goes on, beyond every limit, and is excused by the daemon.
case_warm_no_radio() {
  printf '[Service]\nTimeoutStartSec=4s\n' | inside sh -c 'cat >/etc/systemd/system/latchkeyd.service.d/slow.conf'
  inside sed -i 's|^radio: .*|radio: unix:/run/latchkey/nowhere|' /etc/latchkey/latchkeyd.yaml
  inside systemctl daemon-reload
  inside systemctl --no-block restart latchkeyd.service
  await 10 "start" is_state activating
  sleep 9
  is_state activating || fail "the start was given up: $(property ActiveState)"
  [[ "$(property StatusText)" == "not well: the radio is not on"* ]] || fail "status: $(property StatusText)"
  expect restarts "$(property NRestarts)" 0
  # While a lock is safe and nothing hears, a package may come all the same.
  install_in "$new"
  inside rm /etc/systemd/system/latchkeyd.service.d/slow.conf
  configure
  inside systemctl daemon-reload
  inside systemctl restart latchkeyd.service
  is_state active
}

# Removed, and installed again: dpkg says as of an upgrade, but nothing runs that could go on.
case_warm_reinstall() {
  inside dpkg --remove latchkey
  is_state inactive || fail "it runs: $(property ActiveState)"
  install_in "$new"
  await 20 "start" is_state active
  # What the administrator has stopped an upgrade doesn't start.
  inside systemctl stop latchkeyd.service
  install_in "$new"
  [ -z "$(inside systemctl list-jobs --no-legend)" ] && is_state inactive || fail "started: $(property ActiveState)"
  inside systemctl start latchkeyd.service
}

# Removed while it is open: nobody is in charge any more, so it is closed. Then nothing is left but what policy leaves.
case_warm_removal() {
  forget_trace
  inside latchkeyd test-lock front --seconds 20 --config /etc/latchkey/latchkeyd.yaml >/dev/null 2>&1 &
  await 10 "opening" moved_to open
  inside dpkg --remove latchkey
  moved_to close || fail "it was left open"
  is_state inactive || fail "it runs: $(property ActiveState)"
  [ -z "$(inside pgrep -x latchkeyd 2>/dev/null || true)" ] || fail "a process is left"
  inside rm /etc/latchkey/front.bundle
  inside rm -r /etc/systemd/system/latchkeyd.service.d
  inside dpkg --purge latchkey
  inside sh -c '! ls -d /etc/latchkey /var/lib/latchkey /run/latchkey' 2>/dev/null || fail "something is left"
  inside systemctl daemon-reload
  expect failed "$(inside systemctl --failed --no-legend)" ""
}

# Runs what scripts/install does behind the laying out, in the running system: settle_in FIRST
settle_in() {
  {
    printf '%s\n' 'set -e' 'say() { printf "%s\n" "$*"; }' 'die() { say "$*"; exit 1; }'
    cat scripts/lib/settle.sh
    printf '%s\n' "$1"
  } | inside bash -s >"$work/settle.log" 2>&1 || fail "it ended with $?: $(cat "$work/settle.log")"
  cat "$work/settle.log"
}
settle_first='if has_service /usr; then echo "it is there already"; exit 1; fi'
settle_again='has_service /usr; settle /usr ""'

# As scripts/install does it: a first installation is enabled, so that the next boot has a door; a repeated one keeps what the
# administrator chose. Laid out from outside, since the bare system can't build.
case_warm_install() {
  settle_in "$settle_first"
  scripts/install --destdir "$system" --prefix /usr
  settle_in 'settle /usr yes'
  expect enabled "$(inside systemctl is-enabled latchkeyd.service)" enabled
  await 10 "end of the start" no_jobs
  is_state inactive || fail "started without a bundle: $(property ActiveState)"
  expect restarts "$(property NRestarts)" 0
  configure
  inside sh -c 'cat >/etc/latchkey/front.bundle && chown latchkey: /etc/latchkey/front.bundle && chmod 600 /etc/latchkey/front.bundle' <"$site/front.bundle"
  inside systemctl disable --quiet latchkeyd.service
  settle_in "$settle_again"
  expect enabled "$(inside systemctl is-enabled latchkeyd.service 2>&1)" disabled
  await 10 "end of the jobs" no_jobs
  is_state inactive || fail "a repeated installation started it: $(property ActiveState)"
  # A door from before, in a system whose programs were taken away by hand: it starts.
  settle_in 'settle /usr yes'
  await 20 "start" is_started
  inside systemctl disable --quiet --now latchkeyd.service
}

no_jobs() { [ -z "$(inside systemctl list-jobs --no-legend)" ]; }
# With the radio of this test forbidden by the unit, it waits for it; that is started enough.
is_started() { is_state activating || is_state active; }
