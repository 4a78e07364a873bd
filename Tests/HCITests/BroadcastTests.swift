import Advertising
import POSIX
import TestSupport
import Testing

@testable import HCI

@Suite(.serialized) struct BroadcastTests {
  private let directory: TemporaryDirectory
  private let data: AdvertisingData
  private let air = Monitor<ScriptedAir?>(nil)

  init() throws {
    directory = try TemporaryDirectory()
    data = try AdvertisingData(bytes: [2, 1, 6])
  }

  private func open(_ script: @escaping ScriptedController.Script) throws -> (Broadcast, ScriptedController) {
    let air = try ScriptedAir(in: directory, model: .bluetooth5WithoutExtended, script: script)
    self.air.withLock { $0 = air }
    let broadcast = try Broadcast(opening: try RadioSpec(air.spec))
    return (broadcast, try #require(air.controllers.first))
  }

  @Test func opensAdvertisesWaitsAndCloses() throws {
    let (broadcast, controller) = try open { _, _ in nil }
    #expect(controller.commands.last?.opcode == .leSetRandomAddress)
    let address = try #require(controller.commands.last).parameters
    #expect(address.count == 6 && address[5] >> 6 == 0)
    try broadcast.advertise(data)
    #expect(controller.commands.suffix(3).map(\.opcode).last == .leSetAdvertisingEnable)
    #expect(try broadcast.wait(until: .now() + .milliseconds(1)))
    let next = try AdvertisingData(bytes: [1])
    try broadcast.advertise(next)
    #expect(controller.commands.last?.parameters == [1, 1] + [UInt8](repeating: 0, count: 30))
    #expect(broadcast.close())
    #expect(controller.commands.last == .init(opcode: .leSetAdvertisingEnable, parameters: [0]))
    #expect(controller.commands.filter { $0.opcode == .leSetRandomAddress }.count == 1)
    #expect(broadcast.close())
    #expect(throws: RadioError.stopped) { _ = try broadcast.wait(until: .now() + .seconds(20)) }
  }

  @Test func cancelEndsTheWait() throws {
    let (broadcast, _) = try open { _, _ in nil }
    try broadcast.advertise(data)
    let thread = try Thread(name: "cancel") { broadcast.cancel() }
    #expect(try !broadcast.wait(until: .now() + .seconds(20)))
    #expect(try !broadcast.wait(until: .now() + .seconds(20)), "for good")
    thread.join()
    broadcast.close()
  }

  @Test func aRadioThatEndsEndsTheWait() throws {
    let (broadcast, controller) = try open { _, _ in nil }
    try broadcast.advertise(data)
    controller.hangUp()
    #expect(throws: RadioError.ended) { _ = try broadcast.wait(until: .now() + .seconds(20)) }
    #expect(throws: RadioError.ended) { try broadcast.advertise(data) }
  }

  @Test func aRefusalIsToldInWords() throws {
    let (broadcast, _) = try open { command, _ in
      command.opcode == .leSetAdvertisingEnable && command.parameters == [1]
        ? [.send([4] + complete(command.opcode, 0x0C))] : nil
    }
    let error = #expect(throws: RadioError.self) { try broadcast.advertise(data) }
    #expect(error?.description == "the radio refused LE Set Advertising Enable (0x200A): command disallowed (0x0C)")
  }

  @Test func aPlaceWhereNobodyListensIsToldInWords() throws {
    let nowhere = try RadioSpec("unix:" + directory("nowhere"))
    let missing = #expect(throws: RadioError.self) { _ = try Broadcast(opening: nowhere) }
    #expect(missing == .cannotOpen(nowhere, .noEntry))

    // The listener is gone, its name is still there.
    _ = try listenOnUnixSocket(directory("left"))
    let left = try RadioSpec("unix:" + directory("left"))
    let refused = #expect(throws: RadioError.self) { _ = try Broadcast(opening: left) }
    #expect(refused == .cannotOpen(left, .connectionRefused))
    #expect(refused?.description.contains("nothing listens there") == true)
  }
}
