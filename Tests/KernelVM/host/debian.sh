# Debian's kernel and BlueZ, unpacked into .cache/kernel and never installed. Sourced by Tests/KernelVM/run.
# shellcheck shell=bash

debian="$cache/kernel"
# BlueZ's daemon, tools and virtual controllers with the libraries that a build machine may lack; the guest's shell.
guest_packages=(bluez bluez-test-tools busybox-static dbus-bin dbus-daemon dbus-system-bus-common
  libapparmor1 libasound2 libaudit1 libcap-ng0 libdbus-1-3 libdw1 libelf1 libexpat1 libglib2.0-0 libpcre2-8-0 libreadline8
  libsystemd0 libtinfo6 libudev1)

# The package of the kernel that linux-image-amd64 stands for now.
kernel_package() { apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends: linux-image-[0-9]/ && !found++ { print $2 }'; }

# Sets `release`, the kernel's version, and makes its image readable for the emulator: the ELF itself, since unpacking it
# takes an emulated machine longer than all the rest of the boot.
need_debian() {
  local package
  package="$(kernel_package)"
  if [ -z "$package" ]; then
    need_apt_lists
    package="$(kernel_package)"
  fi
  [ -n "$package" ] || die "apt knows no kernel: linux-image-amd64"
  unpack_packages kernel "$package" "${guest_packages[@]}"
  release="${package#linux-image-}"
  kernel="$debian/vmlinux"
  [ -s "$kernel" ] || /usr/bin/python3 "$here/host/vmlinux.py" "$debian/boot/vmlinuz-$release" "$kernel" ||
    die "the kernel's image can't be read"
  [ -s "$debian/lib/modules/$release/modules.dep" ] || depmod -b "$debian" "$release"
}
