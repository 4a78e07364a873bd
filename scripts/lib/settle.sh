# What an installation into a system that runs does besides laying files out. Sourced by scripts/install, and by its test in a bare
# system; wants `say` and `die`.
# shellcheck shell=bash

# Whether a unit of the service is there already, the package's or one of this script: has_service PREFIX
has_service() {
  local folder
  for folder in /lib /usr/lib /usr/local/lib "$1/lib"; do
    if [ -e "$folder/systemd/system/latchkeyd.service" ]; then return 0; fi
  done
  return 1
}

# Makes the user, and lets systemd and udev know, as the package's postinst does: settle PREFIX FIRST
# With FIRST, not empty, the service is enabled, and starts where there is a door; else what the administrator chose stays.
settle() {
  local prefix="$1" first="$2"
  systemd-sysusers "$prefix/lib/sysusers.d/latchkey.conf" || die "the user latchkey can't be made"
  if [ -d /run/udev ]; then
    udevadm control --reload && udevadm trigger --subsystem-match=gpio || say "udev doesn't answer: reload its rules by hand"
  fi
  [ -d /run/systemd/system ] || return 0
  systemctl daemon-reload
  if [ -n "$first" ] && ! systemctl --quiet enable latchkeyd.service; then
    say "The service can't be enabled: no boot starts it"
    first=
  fi
  case "$(systemctl show --property ActiveState --value latchkeyd.service)" in
    active | activating | reloading)
      # A lock that is open stays so until its time is over.
      say "The daemon is started anew as soon as every lock is closed"
      "$prefix/sbin/latchkeyd" restart --config /etc/latchkey/latchkeyd.yaml
      ;;
    *)
      # Not waited for: it is started once its radio is there. Without a bundle there is nothing to start.
      [ -z "$first" ] || systemctl --no-block start latchkeyd.service || say "The service can't be started"
      say "Next: docs/operations.md, \"Install\""
      ;;
  esac
}
