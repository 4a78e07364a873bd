import AccessControl
import AirProtocol
import CommandLineTool
import JSON
import LatchkeyCrypto
import POSIX
import Provisioning
import Wording

private let door = Operand("DOOR", idReader, "the door's id")
private let file = Option("--out", "FILE", .path, required: true, "the bundle for its controller; never overwritten")
private let until = Option("--until", "T", .time, "the moment from which the door takes the bundle for expired")

let export = Subcommand(
  "export", "make the signed bundle of one door", operands: [door], options: [file, until]
) { (arguments, output) throws(CommandError) in
  let (id, path) = (try arguments.required(door), try arguments.required(file))
  let end = arguments[until]?.seconds
  if let end, end <= now() { throw .usage("--until: expected a moment to come, not \(moment(end))") }
  let bundle = try withSite(arguments) { (site) throws(SiteError) in
    do throws(FileError) { try requireAbsent(path) } catch { throw SiteError.file(error) }
    let zone: TimeZoneData
    do throws(TimeZoneError) { zone = try timeZone(site.zoneName) } catch { throw SiteError.timeZone(error) }
    return try site.exportBundle(of: id, zone: zone, validUntil: end, now: now())
  }
  do throws(FileError) {
    try bundle.bytes.withBytes { (bytes) throws(FileError) in try createFile(path, contents: bytes) }
  } catch {
    throw CommandError(file: error)
  }
  let count = counted(bundle.credentials, "credential")
  output.say("bundle of door \(id), serial \(bundle.header.serial), \(count): \(path.printable)")
  output.emit([
    "door": .string(id.text), "target": .integer(Int64(bundle.header.number.rawValue)),
    "serial": .integer(bundle.header.serial), "credentials": .integer(Int64(bundle.credentials)),
    "until": momentJSON(end), "file": .string(path),
  ])
  return .done
}
