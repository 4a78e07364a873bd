# The emulated machine. Sourced by Tests/KernelVM/run.
# shellcheck shell=bash

# The memory that serves as the registers of the guest's GPIO chip.
gpio_registers=0x10000000

# How long the guest may take, with all of its cases.
boot_limit=900

# Boots, shows the guest's lines as they come, and answers whether all is well: what counts is the guest's closing line.
boot() {
  local log="$work/serial.log" status=0
  : >"$log"
  /usr/bin/python3 "$here/host/gpio-chip.py" "$gpio_registers" "$work/gpio-chip.aml" || die "no table for the GPIO chip"
  timeout "$boot_limit" qemu-system-x86_64 \
    -machine pc -accel tcg,thread=multi -cpu qemu64,+rdrand -smp 2 -m 1536 \
    -nodefaults -nographic -no-reboot -monitor none \
    -kernel "$kernel" -initrd "$work/initramfs" \
    -append "console=ttyS0 quiet panic=-1 mitigations=off nokaslr random.trust_cpu=on cryptomgr.notests \
      memmap=64K\$$gpio_registers iomem=relaxed" \
    -acpitable "file=$work/gpio-chip.aml" \
    -serial "file:$work/console.log" -serial stdio </dev/null 2>"$work/qemu.log" | tee "$log" |
    grep --line-buffered -E '^(ok|FAILED|   \||kernel tests:)' || status=$?
  if grep -q '^kernel tests: [1-9][0-9]* ok, 0 failed' "$log"; then return 0; fi
  if grep -q '^kernel tests:' "$log"; then return 1; fi
  tail -n 20 "$work/qemu.log" "$work/console.log" "$log" >&2
  die "the guest ended before its closing line (status $status; see .build/kernel)"
}
