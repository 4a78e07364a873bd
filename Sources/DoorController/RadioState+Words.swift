internal import HCI
internal import POSIX

extension RadioState {
  /// The state as an event tells it; nil for those that only lie between two others.
  var words: (state: String, detail: String?)? {
    switch self {
    case .off, .preparing, .stopping: nil
    case .opening: nil
    case .on(let info): ("on", "HCI version \(info.hciVersion), manufacturer \(info.manufacturer)")
    case .deaf: ("deaf", "nothing heard for long; it is being looked after")
    case .waiting(let error, let delay): ("away", "\(error); the next attempt comes in \(delay.wholeMilliseconds) ms")
    case .ended(let error): ("off", error.map { "\($0)" })
    }
  }
}
