public import Advertising
public import AirProtocol
public import LatchkeyCrypto
internal import Provisioning

/// A command frame as it goes on the air, with what is worth telling about it.
public struct Transmission: Hashable, Sendable {
  public let frame: Frame
  public let freshness: Freshness
  public let plaintext: CommandPlaintext
  /// In which it travels; another one than was asked for where that couldn't carry the frame.
  public let carrier: Carrier
  public let data: AdvertisingData
}

/// Why no frame could be made.
public enum TransmissionError: Error, Hashable, Sendable {
  case state(HolderStateError)
  case crypto(CryptoError)
  case advertising(AdvertisingDataError)
}

extension TransmissionError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .state(let error): "\(error)"
    case .crypto(let error): "\(error)"
    case .advertising(let error): "\(error)"
    }
  }
}

extension Transmission {
  /// The first frame that its carrier can hold, from a sequence on (protocol.md, "Carriers").
  ///
  /// Where nine words repeat another sequence is taken; where the marker is the first word, which no sequence changes,
  /// the frame goes as `uuid128`.
  ///
  /// - Returns: nil where no sequence up to 255 serves.
  static func first(
    _ command: Command, press: UInt8, wantsAnswer: Bool, to door: HeldDoor, under freshness: Freshness,
    from sequence: UInt8, carrier: Carrier
  ) throws(TransmissionError) -> Transmission? {
    let exchange: Exchange
    do throws(CryptoError) { exchange = try door.exchange(freshness) } catch { throw .crypto(error) }
    for sequence in sequence...255 {
      let plaintext = CommandPlaintext(sequence: sequence, command: command, press: press, wantsAnswer: wantsAnswer)
      let frame: Frame
      do throws(CryptoError) { frame = try exchange.seal(plaintext) } catch { throw .crypto(error) }
      for carrier in [carrier, .uuid128] {
        do throws(AdvertisingDataError) {
          let data = try AdvertisingData(frame: frame, carrier: carrier, markers: door.credential.site.markers)
          return Transmission(frame: frame, freshness: freshness, plaintext: plaintext, carrier: carrier, data: data)
        } catch .wordsRepeat(let word, let first, let second) {
          let error = AdvertisingDataError.wordsRepeat(word: word, first: first, second: second)
          if error.mayFitUnderAnotherSequence { break }
        } catch {
          throw .advertising(error)
        }
      }
    }
    return nil
  }
}
