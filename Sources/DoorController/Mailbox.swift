internal import HCI
internal import LockHardware
internal import POSIX

/// What other threads tell the door's thread; it reads them between batches of adverts.
enum Message: Sendable {
  case radio(RadioState)
  /// A state of the radio that only sends beacons and answers.
  case beaconRadio(RadioState)
  case lock(LockID, LockReport)
  /// A lock that no door has any more has ended.
  case lockEnded(LockID)
  case input(InputID, InputReport)
  case siren(SirenID, LockReport)
  /// A siren that no door has any more has ended.
  case sirenEnded
  case loaded(Rulebook)
  case notLoaded(String)
  case reload
  case showCounters
  /// Somebody, by the id of that user, asks over the control socket.
  case asked(ControlRequest, by: UInt32, ControlReply)
  /// The control socket can't be made, or was made after all.
  case control(FileError?)
  /// The metrics file was written, or couldn't be.
  case metrics(FileError?)
  case stop
}

/// Messages in the order in which they came, and a way to wake their reader.
final class Mailbox: Sendable {
  private let messages = Monitor<[Message]>([])
  private let reports: ReportQueue

  /// - Parameter reports: where the reader waits; it is woken for a message as for an advert.
  init(waking reports: ReportQueue) { self.reports = reports }

  func post(_ message: Message) {
    messages.withLock(waking: false) { $0.append(message) }
    reports.wake()
  }

  /// Takes all messages out.
  func takeAll() -> [Message] {
    messages.withLock(waking: false) { messages in
      defer { messages = [] }
      return messages
    }
  }
}
