# On a kernel with an adapter and a GPIO chip, in an emulator: the machine of Tests/KernelVM with the bare system in it.
# Sourced by Tests/Package/run.
# shellcheck shell=bash

case_kernel_service() {
  local here="$root/Tests/KernelVM" guest="$root/Tests/Package/guest" image
  source "$here/host/debian.sh"
  source "$here/host/image.sh"
  source "$here/host/boot.sh"
  setup_kernel_tests
  install_lock
  need_debian
  need_base_image
  install_unlock
  fresh_system cold
  image="$system"
  mkdir -p "$image/lib/modules/$release"
  add_modules
  add_program "$debian/usr/bin/btvirt" /usr/bin/btvirt
  install -m 755 "$debian/bin/busybox" "$image/usr/bin/busybox"
  ln -s busybox "$image/usr/bin/devmem"
  # The kernel itself calls it there.
  ln -s ../bin/busybox "$image/usr/sbin/modprobe"
  printf 'hci_vhci\n' >"$image/etc/modules-load.d/test.conf"
  gcc -O2 -Wall -Werror -static -o "$image/usr/bin/edges" "$here/host/edges.c"
  install -m 755 "$guest/test" "$image/srv/test"
  install -m 644 "$here/guest/lib/gpio.sh" "$image/srv/gpio.sh"
  install -m 644 "$guest/latchkey-test.service" "$image/etc/systemd/system/latchkey-test.service"
  mkdir -p "$image/usr/share/zoneinfo"
  install -m 644 /usr/share/zoneinfo/UTC "$image/usr/share/zoneinfo/UTC"
  mkdir -p "$image/etc/systemd/system/multi-user.target.wants"
  ln -s ../latchkey-test.service "$image/etc/systemd/system/multi-user.target.wants/latchkey-test.service"
  cp "$old" "$image/srv/old.deb"
  cp "$new" "$image/srv/new.deb"
  rm -rf "$work/first"
  mkdir "$work/first"
  tar -C "$image" -cf "$work/first/system.tar" .
  install -m 755 "$guest/init" "$work/first/init"
  pack "$work/first" "$work/first.cpio"
  cat "$base" "$work/first.cpio" >"$work/initramfs"
  rm -rf "$work/first" "$work/first.cpio"
  boot_machine
  rm -f "$work/initramfs"
}

# Boots it and shows what the guest says; that it says so at its end is what counts.
boot_machine() {
  local log="$work/serial.log"
  rm -f "$log"
  /usr/bin/python3 "$root/Tests/KernelVM/host/gpio-chip.py" "$gpio_registers" "$work/gpio-chip.aml" || fail "no table for the GPIO chip"
  timeout 500 qemu-system-x86_64 \
    -machine pc -accel tcg,thread=multi -cpu qemu64,+rdrand -smp 2 -m 2048 \
    -nodefaults -nographic -no-reboot -monitor none \
    -kernel "$kernel" -initrd "$work/initramfs" \
    -append "console=ttyS0 panic=-1 mitigations=off nokaslr random.trust_cpu=on cryptomgr.notests systemd.show_status=true \
      memmap=64K\$$gpio_registers iomem=relaxed" \
    -acpitable "file=$work/gpio-chip.aml" \
    -serial "file:$work/console.log" -serial "file:$log" </dev/null 2>"$work/qemu.log" || true
  tr -d '\r' <"$log"
  [[ "$(tr -d '\r' <"$log")" == *"all is well"* ]] || {
    tail -n 30 "$work/console.log"
    fail "the machine's tests failed"
  }
}
