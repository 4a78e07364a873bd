internal import CBenchmark
internal import DoorController
internal import HCI
internal import POSIX

/// `pathAllocations`: how often memory is asked for on the whole way of a foreign advert, by all threads of it.
///
/// Radio, queue and pipeline are those of `latchkeyd`, in this process; a controller on a socket sends.
enum RadioPathBenchmark {
  private static let tick = 100

  static func run() throws -> Measurement {
    let door = try LargeDoor(credentials: Hall.credentials)
    let controller = try ScriptedController(path: door.folder.path + "/radio")
    let configuration = try DoorConfiguration.load(path: door.configurationPath)
    let pipeline = try DoorPipeline(
      standingAt: .now(), Rulebook(loading: configuration), statePath: configuration.statePath
    ) {}
    defer { pipeline.stopDoors() }
    let radio = Radio(
      spec: configuration.radio, wanted: WantedState(scan: .passive), reports: ReportQueue(capacity: 4_096))
    try radio.start()
    defer { radio.stop() }
    try radio.waitUntilSettled(until: .now() + .seconds(10))

    let adverts = HallAdverts(count: 20_000)
    // What is sent is made before: only the way is to be counted.
    let packets = stride(from: 0, to: adverts.count, by: tick).map { start in
      Array(adverts.bytes[adverts.starts[start]..<adverts.starts[min(start + tick, adverts.count)]])
    }
    cbenchmark_count_all()
    try POSIX.Thread(name: "counted") { _ = HallAdverts(count: 100) }.join()
    guard cbenchmark_counted() > 100 else { throw BenchmarkError("the counter of allocations doesn't count") }
    // Once for what is made at first use: buffers, the room for pieces of reports.
    try pass(packets, adverts.count, controller, radio, pipeline)
    cbenchmark_count_all()
    try pass(packets, adverts.count, controller, radio, pipeline)
    let allocations = cbenchmark_counted()
    return Measurement(
      key: "pathAllocations", value: Double(allocations) / Double(adverts.count), unit: "",
      credentials: Hall.credentials, target: 0)
  }

  private static func pass(
    _ packets: [[UInt8]], _ count: Int, _ controller: ScriptedController, _ radio: Radio, _ pipeline: DoorPipeline
  ) throws {
    var heard = 0
    let end = BootInstant.now() + .seconds(30)
    for (index, part) in packets.enumerated() {
      try controller.send(part)
      while heard < min(count, (index + 1) * tick), .now() < end {
        heard += radio.reports.drain(until: end) { pipeline.hear($0, arrival: $1) }
      }
    }
    guard heard == count else { throw BenchmarkError("\(heard) of \(count) adverts were heard") }
  }
}
