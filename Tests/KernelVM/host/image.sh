# The guest's file system, an initramfs of two parts: what Debian gives (cached), and over it what is tested.
# Sourced by Tests/KernelVM/run.
# shellcheck shell=bash

# The kernel's modules: the virtual controllers', the ciphers that those use, and the GPIO chip's (host/gpio-chip.py).
modules=(hci_vhci af_alg algif_hash algif_skcipher ecb cmac ctr sha512_generic drbg gpio-amdpt)
tools=(btmgmt btmon btvirt bluetoothctl dbus-daemon dbus-send hciconfig)

# Copies a program, and the libraries that it is linked to, into the guest: add_program FILE PATH-IN-GUEST
add_program() {
  local library target libraries
  libraries="$(LD_LIBRARY_PATH="$debian/usr/lib/x86_64-linux-gnu:$debian/lib/x86_64-linux-gnu" ldd "$1")"
  case "$libraries" in *"not found"*) die "$1 lacks a library: $libraries" ;; esac
  install -D -m 755 "$1" "$image$2"
  while read -r library; do
    target="/lib/x86_64-linux-gnu/${library##*/}"
    [[ "$library" != */ld-linux* ]] || target="/lib64/${library##*/}"
    [ -e "$image$target" ] || install -D -m 755 "$library" "$image$target"
  done < <(awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }' <<<"$libraries")
}

add_modules() {
  local module file
  for module in "${modules[@]}"; do
    modprobe -d "$debian" -S "$release" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
  done | sort -u | while read -r file; do
    module="$image/${file#"$debian"/}"
    mkdir -p "${module%/*}"
    case "$file" in
      *.xz) xz -dc "$file" >"${module%.xz}" ;;
      *) cp "$file" "$module" ;;
    esac
  done
  cp "$debian/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} "$image/lib/modules/$release/"
  depmod -b "$image" "$release"
}

add_tools() {
  local applet tool
  install -D -m 755 "$debian/bin/busybox" "$image/bin/busybox"
  "$debian/bin/busybox" --list | grep -v -x busybox | while read -r applet; do ln -s busybox "$image/bin/$applet"; done
  # busybox's own looks for modules elsewhere; the tests' processes need all that the real setpriv can do.
  ln -s ../bin/busybox "$image/sbin/modprobe"
  rm "$image/bin/setpriv"
  add_program /usr/bin/setpriv /usr/bin/setpriv
  for tool in "${tools[@]}"; do
    # hciconfig is in /bin.
    if [ -e "$debian/bin/$tool" ]; then
      add_program "$debian/bin/$tool" "/usr/bin/$tool"
    else
      add_program "$debian/usr/bin/$tool" "/usr/bin/$tool"
    fi
  done
  add_program "$debian/usr/libexec/bluetooth/bluetoothd" /usr/sbin/bluetoothd
}

add_settings() {
  local zone
  for zone in UTC Europe/Berlin; do install -D -m 644 "/usr/share/zoneinfo/$zone" "$image/usr/share/zoneinfo/$zone"; done
  install -D -m 644 "$debian/usr/share/dbus-1/system.conf" "$image/usr/share/dbus-1/system.conf"
  install -D -m 644 "$debian/etc/dbus-1/system.d/bluetooth.conf" "$image/etc/dbus-1/system.d/bluetooth.conf"
  install -D -m 644 "$debian/etc/bluetooth/main.conf" "$image/etc/bluetooth/main.conf"
  cat >"$image/etc/passwd" <<'PASSWD'
root:x:0:0:root:/root:/bin/sh
messagebus:x:100:100::/run:/bin/false
door:x:1000:1000::/tmp:/bin/sh
PASSWD
  printf '%s\n' root:x:0: messagebus:x:100: bluetooth:x:101: door:x:1000: >"$image/etc/group"
}

# Packs a folder as an archive of the kernel's kind.
pack() { (cd "$1" && find . -print0 | cpio --null --create --format=newc --owner=0:0 --quiet) >"$2"; }

# The cached part, made anew when Debian's packages or the scripts that make it have changed.
need_base_image() {
  base="$debian/base.cpio"
  local key
  key="$(cat "$debian/.packages" "$here/host/image.sh" "$here/guest/init" | sha256sum)"
  [ ! -s "$base" ] || [ "$(cat "$base.key" 2>/dev/null)" != "$key" ] || return 0
  say "Making the guest's file system"
  image="$(mktemp -d "$debian/image-XXXXXX")"
  chmod 755 "$image"
  mkdir -p "$image"/{bin,sbin,usr/bin,usr/sbin,etc,proc,sys,dev,tmp,run,root,var/lib/bluetooth,lib64}
  mkdir -p "$image/etc/dbus-1/system.d"
  add_tools
  add_modules
  add_settings
  install -m 755 "$here/guest/init" "$image/init"
  pack "$image" "$base"
  rm -rf "$image"
  printf '%s\n' "$key" >"$base.key"
}

# What is tested, and the cases; $1: which of them.
make_overlay() {
  image="$work/overlay"
  rm -rf "$image"
  mkdir -p "$image/usr/bin"
  cp -r "$here/guest" "$image/guest"
  printf '%s\n' "$1" >"$image/guest/filter"
  local program
  for program in "${programs[@]}"; do strip -o "$image/usr/bin/$program" "$static/release/$program"; done
  cp "$work/edges" "$image/usr/bin/edges"
  add_program "$test_bundle" /usr/bin/latchkey-tests
  strip "$image/usr/bin/latchkey-tests"
  # The vectors, where the tests look for them, and what they start by its path.
  mkdir -p "$image$root/Tests"
  cp -r "$root/Tests/Vectors" "$image$root/Tests/"
  ln -s /bin/mkfifo "$image/usr/bin/mkfifo"
  pack "$image" "$work/overlay.cpio"
  cat "$base" "$work/overlay.cpio" >"$work/initramfs"
}
