# Shell helpers of scripts/*: what a fresh Debian 12 lacks is installed here, and said. Sourced, never run.
# shellcheck shell=bash

set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
cache="$root/.cache"
cd "$root"

say() { printf '%s\n' "$*" >&2; }
die() {
  say "${0##*/}: $*"
  exit 1
}

# What the build needs (the last line: what the Swift toolchain itself is linked to), what the virtual radio needs, and
# what only the tests need (btmon's library).
build_packages=(libbluetooth-dev libgpiod-dev libjansson-dev libsqlite3-dev libssl-dev libyaml-dev pkg-config
  binutils gcc git libc6-dev libstdc++-12-dev tzdata
  libcurl4 libncurses6 libxml2)
radio_packages=(ca-certificates python3 python3-venv)
test_packages=(libglib2.0-0)
# What only the tests on a kernel of their own need: an emulator, and what makes its image.
kernel_packages=(qemu-system-x86 cpio kmod python3 xz-utils)

# What makes a bare Debian to try the package in.
package_packages=(debootstrap procps util-linux)
# What looks at the service's files.
service_packages=(systemd udev)

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Installs the Debian packages named that aren't there yet; without any, it asks nothing of the network.
need_packages() {
  local missing=() package
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  local become=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these Debian packages are missing: ${missing[*]}
As root: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    become=(sudo)
  fi
  say "Installing Debian packages: ${missing[*]}"
  local log="$cache/apt.log"
  mkdir -p "$cache"
  { "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q update &&
    "${become[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get -q -y --no-install-recommends install "${missing[@]}"; } </dev/null >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "apt-get failed (all of its output: .cache/apt.log)"
  }
}

# Finds a Swift toolchain of at least 6.3 on PATH.
need_swift() {
  command -v swift >/dev/null || die "no \`swift\` on PATH.
Latchkey needs a Swift 6.3 toolchain for Debian 12 (https://www.swift.org/install/linux/); put its usr/bin on PATH."
  local version
  version="$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | sed -n 1p)" ||
    die "$(command -v swift) doesn't run: $(swift --version 2>&1 | sed -n 1p)"
  [ "$(printf '%s\n' 6.3 "$version" | sort -V | sed -n 1p)" = 6.3 ] ||
    die "Swift ${version:-of an unknown version} ($(command -v swift)) is too old: 6.3 is needed."
}

# Lays the Python packages of scripts/requirements/NAME.txt, pinned and checked by hash, into .cache/python.
need_python() {
  local environment="$cache/python" name requirements stamp
  if [ ! -x "$environment/bin/python" ]; then
    say "Making a Python environment in .cache/python"
    mkdir -p "$cache"
    /usr/bin/python3 -m venv "$environment"
  fi
  for name in "$@"; do
    requirements="scripts/requirements/$name.txt"
    stamp="$environment/.latchkey-$name"
    cmp -s "$requirements" "$stamp" && continue
    say "Installing into .cache/python: $(sed -n 's/^\([a-z][^ ]*==[^ ]*\).*/\1/p' "$requirements" | tr '\n' ' ')"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
      --requirement "$requirements" </dev/null >&2 || die "pip failed on $requirements"
    cp "$requirements" "$stamp"
  done
}

# The virtual radio's program at .cache/rootcanal. The ELF itself: killing `python -m rootcanal` would orphan it.
need_rootcanal() {
  [ "$(uname -m)" = x86_64 ] || die "the virtual radio (RootCanal) exists for x86-64 only; this is $(uname -m)."
  need_python rootcanal
  local program
  program="$("$cache/python/bin/python" -c \
    'import rootcanal.binaries as b; print(b.get_package_binary_resource_path("rootcanal"))')"
  ln -sfnr "$program" "$cache/rootcanal"
}

# Unpacks Debian packages into .cache/FOLDER and installs nothing: unpack_packages FOLDER PACKAGE... What lies there of the
# same packages already stays.
unpack_packages() {
  local folder="$cache/$1"
  shift
  [ "$(cat "$folder/.packages" 2>/dev/null)" != "$*" ] || return 0
  say "Unpacking Debian packages into .cache/${folder##*/}: $*"
  rm -rf "$folder"
  mkdir -p "$folder"
  # Lists that are missing, or so old that they name what is gone, are fetched once.
  download_packages "$folder" "$@" || { need_apt_lists && download_packages "$folder" "$@"; } || {
    cat "$folder/download.log" >&2
    die "apt-get download failed"
  }
  local package
  for package in "$folder"/*.deb; do
    dpkg-deb -x "$package" "$folder" || die "$package can't be unpacked"
    rm "$package"
  done
  printf '%s\n' "$*" >"$folder/.packages"
}

download_packages() (
  cd "$1"
  shift
  # As root, apt would hand the download to a user who may not write here, and complain.
  apt-get -q -o APT::Sandbox::User=root download "$@" </dev/null >download.log 2>&1
)

# btmon at .cache/btmon, unpacked and not installed: the package bluez would start a daemon that takes the adapters.
need_btmon() {
  unpack_packages bluez bluez
  ln -sfnr "$cache/bluez/usr/bin/btmon" "$cache/btmon"
}

# Kotlin at .cache/kotlinc and .cache/kotlin, unpacked and not installed: its package would bring all of Maven along.
need_kotlin() {
  need_packages openjdk-17-jre-headless
  [ -x "$cache/kotlinc" ] && return 0
  say "Unpacking Debian's Kotlin into .cache"
  local folder="$cache/kotlin-packages" package
  local packages=(kotlin libjetbrains-annotations-java libtrove-intellij-java)
  rm -rf "$folder"
  mkdir -p "$folder"
  apt-cache show kotlin >/dev/null 2>&1 || need_apt_lists
  (cd "$folder" && apt-get -q download "${packages[@]}" >download.log 2>&1 &&
    for package in *.deb; do dpkg-deb -x "$package" . && rm "$package"; done) </dev/null || {
    cat "$folder/download.log" >&2
    die "apt-get download ${packages[*]} failed"
  }
  ln -sfnr "$folder/usr/share/kotlin/kotlinc/bin/kotlin" "$cache/kotlin"
  ln -sfnr "$folder/usr/share/kotlin/kotlinc/bin/kotlinc" "$cache/kotlinc"
}

need_apt_lists() {
  local become=()
  [ "$(id -u)" -eq 0 ] || become=(sudo)
  "${become[@]}" apt-get -q update </dev/null >"$cache/apt.log" 2>&1 || die "apt-get update failed (.cache/apt.log)"
}

# Only one of these scripts installs at a time.
install_lock() {
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9
}
install_unlock() { exec 9>&-; }

setup_demo() {
  install_lock
  need_packages "${build_packages[@]}" "${radio_packages[@]}"
  need_swift
  need_rootcanal
  install_unlock
}

setup_build() {
  install_lock
  need_packages "${build_packages[@]}"
  need_swift
  install_unlock
}

setup_tests() {
  install_lock
  need_packages "${build_packages[@]}" "${radio_packages[@]}" "${test_packages[@]}"
  need_swift
  need_rootcanal
  need_python bumble
  need_btmon
  install_unlock
}

setup_package_tests() {
  install_lock
  need_packages "${build_packages[@]}" "${radio_packages[@]}" "${package_packages[@]}"
  need_swift
  need_rootcanal
  install_unlock
}

setup_kernel_tests() {
  [ "$(uname -m)" = x86_64 ] || die "the tests on a kernel of their own run on x86-64 only; this is $(uname -m)."
  install_lock
  need_packages "${build_packages[@]}" "${kernel_packages[@]}"
  need_swift
  install_unlock
}
