internal import Glibc

public import struct POSIX.WallTime

/// Sleeps until the wall clock shows that moment; at once where it has.
public func waitUntil(_ moment: WallTime) {
  while true {
    let now = WallTime.now()
    guard now < moment else { return }
    let left = (moment.seconds - now.seconds) * 1_000_000 + Int64(moment.nanoseconds - now.nanoseconds) / 1_000
    usleep(UInt32(clamping: min(max(left, 1), 500_000)))
  }
}

/// The beginning of the next whole second of the wall clock.
public func nextSecond() -> WallTime { WallTime(seconds: WallTime.now().seconds + 1) }

/// Lets some time pass, for a test that strikes at different moments; never to wait for something.
public func waitMilliseconds(_ count: Int) { usleep(UInt32(clamping: count * 1_000)) }
