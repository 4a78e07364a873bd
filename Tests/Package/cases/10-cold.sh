# In a bare system that doesn't run. Sourced by Tests/Package/run.
# shellcheck shell=bash

dpkg_in() { DEBIAN_FRONTEND=noninteractive chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg "$@"; }

# dpkg's own words are all that is said: no warning, no error, no question.
quiet_dpkg() {
  dpkg_in "$@" >"$work/dpkg.log" 2>&1 </dev/null || fail "dpkg $* ended with $?: $(cat "$work/dpkg.log")"
  cat "$work/dpkg.log"
  if grep -i -E 'warning|error|fail|can.t|cannot|not found|denied|unable|configuration file .' "$work/dpkg.log"; then
    fail "dpkg $* complains"
  fi
}

# Runs a program in it with /proc, which the Swift runtime can't start without.
with_proc() {
  # shellcheck disable=SC2016
  unshare --mount --propagation private sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$system" "$@"
}

# Installed, upgraded, removed, purged: what is left is what Debian's policy leaves.
case_cold_life() {
  fresh_system cold
  # As where images are made: nothing may be started.
  printf '#!/bin/sh\nexit 101\n' >"$system/usr/sbin/policy-rc.d"
  chmod 755 "$system/usr/sbin/policy-rc.d"
  mkdir -p "$system/tmp/debs"
  cp "$old" "$new" "$system/tmp/debs/"
  list_files >"$work/before"
  quiet_dpkg --install "/tmp/debs/${old##*/}"
  dpkg_in --verify latchkey >"$work/verify"
  [ ! -s "$work/verify" ] || fail "dpkg --verify: $(cat "$work/verify")"
  find "$system/usr/share/doc/latchkey" ! -perm -o=r >"$work/closed"
  [ ! -s "$work/closed" ] || fail "not everybody can read $(cat "$work/closed")"
  for program in /usr/sbin/latchkeyd /usr/bin/latchkey /usr/bin/latchkey-keys; do
    with_proc "$program" --help >/dev/null || fail "$program doesn't run"
  done
  grep -q '^latchkey:.*:/var/lib/latchkey:/usr/sbin/nologin$' "$system/etc/passwd" || fail "no user latchkey"
  grep -q '^gpio:' "$system/etc/group" || fail "no group gpio"
  [ "$(stat -c %U:%a "$system/etc/latchkey/latchkeyd.yaml")" = root:644 ] || fail "no configuration"
  [ -L "$system/etc/systemd/system/multi-user.target.wants/latchkeyd.service" ] || fail "the service isn't enabled"
  expect_silence chroot "$system" systemd-analyze verify latchkeyd.service
  local score
  score="$(chroot "$system" systemd-analyze security --no-pager --offline=yes latchkeyd.service | sed -n 's/.*level for latchkeyd.service: \([0-9.]*\).*/\1/p')"
  awk -v score="$score" 'BEGIN { exit !(score != "" && score <= 2.0) }' || fail "exposure $score"
  # What the administrator wrote stays, a configuration that they deleted too.
  echo '# mine' >>"$system/etc/latchkey/latchkeyd.yaml"
  quiet_dpkg --install "/tmp/debs/${new##*/}"
  [ "$(tail -n 1 "$system/etc/latchkey/latchkeyd.yaml")" = '# mine' ] || fail "the configuration was overwritten"
  rm "$system/etc/latchkey/latchkeyd.yaml"
  quiet_dpkg --install "/tmp/debs/${new##*/}"
  [ ! -e "$system/etc/latchkey/latchkeyd.yaml" ] || fail "a deleted configuration came back"
  echo '# mine' >"$system/etc/latchkey/latchkeyd.yaml"
  mkdir -p "$system/var/lib/latchkey"
  touch "$system/var/lib/latchkey/state.db"
  quiet_dpkg --remove latchkey
  [ -e "$system/etc/latchkey/latchkeyd.yaml" ] && [ -e "$system/var/lib/latchkey/state.db" ] || fail "removal took state away"
  find "$system" -xdev -path "$system/var/lib/dpkg" -prune -o -path "$system/tmp" -prune -o \
    -name '*latchkey*' -print >"$work/left"
  grep -v -E '/(etc/latchkey|var/lib/latchkey|latchkeyd\.yaml|etc/systemd/system/multi-user\.target\.wants/latchkeyd\.service|var/lib/systemd/deb-systemd-helper.*)$' \
    "$work/left" && fail "files are left after removal"
  quiet_dpkg --purge latchkey
  list_files >"$work/after"
  diff "$work/before" "$work/after" || fail "files are left after the purge"
}

# A downgrade and a second installation of the same version are no accidents.
case_cold_again() {
  fresh_system cold
  mkdir -p "$system/tmp/debs"
  cp "$old" "$new" "$system/tmp/debs/"
  quiet_dpkg --install "/tmp/debs/${new##*/}"
  quiet_dpkg --install "/tmp/debs/${new##*/}"
  dpkg_in --install "/tmp/debs/${old##*/}" >"$work/dpkg.log" 2>&1 || fail "a downgrade failed: $(cat "$work/dpkg.log")"
  quiet_dpkg --purge latchkey
}

# Laid out below another folder and another prefix, twice.
case_install() {
  local to="$work/installed" unit
  rm -rf "$to"
  scripts/install --destdir "$to" --prefix /usr/local
  "$to/usr/local/sbin/latchkeyd" --help >/dev/null || fail "it doesn't run"
  unit="$to/usr/local/lib/systemd/system/latchkeyd.service"
  grep -q '^ExecStart=/usr/local/sbin/latchkeyd run' "$unit" || fail "the unit names other paths"
  echo '# mine' >>"$to/etc/latchkey/latchkeyd.yaml"
  scripts/install "--destdir=$to" --prefix=/usr/local
  [ "$(tail -n 1 "$to/etc/latchkey/latchkeyd.yaml")" = '# mine' ] || fail "the configuration was overwritten"
  [ -z "$(find "$to" -name '*.new')" ] || fail "leavings"
  if scripts/install --destdir /proc/nowhere; then fail "it wrote to where nobody can"; fi
  if scripts/install --prefix relative; then fail "a relative prefix was taken"; fi
  rm -rf "$to"
}
