internal import HCI
internal import POSIX

/// The radio that listens, and the one that sends: mostly the same.
final class DoorRadios {
  let listening: Radio
  private let sending: Radio?
  /// Whether beacons and answers are sent at all.
  let sends: Bool

  /// Radios that are off.
  init(
    _ configuration: DoorConfiguration, capturePath: String?, takesOver: Bool, reports: ReportQueue, mailbox: Mailbox
  ) {
    let takesOver = takesOver || configuration.takesOver
    let options = Radio.Options(
      capturePath: capturePath, commands: configuration.radioCommands, takesOver: takesOver)
    // A door that hears is worth more than one that speaks.
    listening = Radio(
      spec: configuration.radio, options: options, wanted: WantedState(scan: .passive, advertisingIsOptional: true),
      reports: reports, onState: { mailbox.post(.radio($0)) })
    sends = configuration.beaconRadio != .none
    guard case .other(let spec) = configuration.beaconRadio else {
      sending = nil
      return
    }
    sending = Radio(
      spec: spec, options: Radio.Options(commands: configuration.radioCommands, takesOver: takesOver),
      onState: { mailbox.post(.beaconRadio($0)) })
  }

  func start() throws(RadioError) {
    try listening.start()
    try sending?.start()
  }

  /// What is on the air from now on.
  func advertise(_ plan: AdvertisingPlan?) { (sending ?? listening).want { $0.advertising = plan } }

  /// Off the air, both at the same time.
  func stop(within limit: Duration) {
    let deadline = BootInstant.now() + limit
    sending?.want { $0.advertising = nil }
    listening.stop(within: limit)
    // Its thread has had the same time; a controller that is dead gets what is left, and a moment.
    sending?.stop(within: max(.milliseconds(100), deadline - .now()))
  }
}
