internal import HCI

extension RadioState {
  /// What an event says beside the condition.
  var detail: String? {
    switch self {
    case .off, .opening, .preparing, .stopping, .ended(nil): nil
    case .on(let info):
      "HCI version \(info.hciVersion), manufacturer \(info.manufacturer)"
        + (info.onlyScans
          ? "; it doesn't advertise while it scans: no beacons, no answers, unless beacon-radio names another" : "")
    case .deaf: "nothing heard for long; it is being looked after"
    case .waiting(let error, _): "\(error); it is tried again, at most 30 s apart"
    case .ended(let error?): "\(error); given up until a restart"
    }
  }
}
