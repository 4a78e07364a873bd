import Advertising
import CommandLineTool
import HCI
import JSON
import POSIX
import Wording

private let dataOperand = Operand(
  "HEX", ValueReader(expected: "bytes as hexadecimal digits") { Hexadecimal.bytes($0) }, "advertising data")
private let seconds = Option(
  "--seconds", "N", .seconds(in: .milliseconds(50)...(.seconds(86_400))), "how long; default: 3")

/// Advertising data as it is, for tests and demonstrations.
let broadcast = Subcommand(
  "broadcast", "send advertising data as it is, for tests and demonstrations", operands: [dataOperand],
  options: [seconds]
) { (arguments, output) throws(CommandError) in
  let bytes = try arguments.required(dataOperand)
  let data: AdvertisingData
  do throws(AdvertisingDataError) { data = try AdvertisingData(bytes: bytes) } catch { throw .usage("HEX: \(error)") }
  let duration = arguments[seconds] ?? .seconds(3)
  try onAir(try radio(arguments)) { (broadcast) throws(CommandError) in
    do throws(RadioError) {
      try broadcast.advertise(data)
      output.say("broadcasting \(bytes.count) bytes")
      output.emit(["event": "broadcast", "advertisingData": .string(Hexadecimal.text(bytes))])
      _ = try broadcast.wait(until: .now() + duration)
    } catch {
      throw CommandError(radio: error)
    }
  }
  output.say("broadcast for \(duration.text)")
  output.emit(["event": "ended"])
  return .done
}
