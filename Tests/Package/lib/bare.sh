# A bare Debian 12 of debootstrap's, kept in .cache/bare. Sourced by Tests/Package/run.
# shellcheck shell=bash

# What is in it besides what every system has: what runs services, and makes devices known.
bare_packages=systemd-sysv,udev,dbus

# Makes it where it isn't there yet, from the mirror that apt uses here: the suite is that of the package.
need_bare_root() {
  bare="$cache/bare/root.tar"
  local key mirror
  key="bookworm $bare_packages $(sha256sum <"$here/lib/bare.sh")"
  [ "$(cat "$bare.key" 2>/dev/null)" != "$key" ] || return 0
  mirror="$(apt-get indextargets --format '$(SITE) $(CODENAME)' 'Created-By: Packages' | awk '$2 == "bookworm" && !found++ { print $1 }')"
  [ -n "$mirror" ] || die "apt has no mirror of Debian 12 (bookworm)"
  say "Making a bare Debian 12 in .cache/bare; two minutes, once"
  mkdir -p "$cache/bare"
  rm -rf "$work/debootstrap"
  debootstrap --variant=minbase --include="$bare_packages" bookworm "$work/debootstrap" "$mirror" \
    >"$work/debootstrap.log" 2>&1 </dev/null || die "debootstrap failed: $(tail -n 3 "$work/debootstrap.log")"
  rm -rf "$work"/debootstrap/var/cache/apt/archives/*.deb
  tar -C "$work/debootstrap" -cf "$bare" .
  rm -rf "$work/debootstrap"
  printf '%s\n' "$key" >"$bare.key"
}

# A fresh one in `system`: fresh_system NAME
fresh_system() {
  system="$work/$1"
  rm -rf "$system"
  mkdir -p "$system"
  tar -C "$system" -xf "$bare"
}

# All files of it with owner, mode and size, but what dpkg and the time itself change.
list_files() {
  (cd "$system" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache -o -path ./run \) -prune -o \
    ! -name '*-' -printf '%p %u %g %m %y\n' | LC_ALL=C sort)
}
