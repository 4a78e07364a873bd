import Glibc
import POSIX
import TestSupport
import Testing

@testable import HCI

@Suite struct AdapterOpeningTests {
  private static let one = DeviceAddress(value: 0x00AA_0100_0023)
  private static let two = DeviceAddress(value: 0x00AA_0101_0024)

  private let directory: TemporaryDirectory
  private let cancel: WakeUp

  init() throws {
    directory = try TemporaryDirectory()
    cancel = try WakeUp()
  }

  private func opening(
    _ kernel: FakeKernel, _ spec: String = "hci:0", takesOver: Bool = false, within limit: Duration = .seconds(20)
  ) throws -> AdapterOpening {
    AdapterOpening(
      kernel: kernel, spec: try RadioSpec(spec), takesOver: takesOver, deadline: .now() + limit, cancel: cancel,
      root: directory.path)
  }

  private func problem(_ body: () throws -> KernelTransport) -> AdapterProblem? {
    do { _ = try body() } catch {
      if case .adapter(_, let problem) = error as? RadioError { return problem }
      Issue.record("\(error)")
    }
    return nil
  }

  @Test func aFreeAdapterIsTakenAndLeftDown() throws {
    let kernel = FakeKernel([.sample(0, Self.one), .sample(1, Self.two)])
    var transport: KernelTransport? = try opening(kernel, "hci:1").openUserChannel(1)
    #expect(transport?.isShared == false)
    transport = nil
    #expect(kernel.log == ["open 1 user"])
  }

  @Test func theNumberIsNotIgnored() throws {
    let kernel = FakeKernel([.sample(1, Self.two), .sample(0, Self.one)])
    let opening = try opening(kernel, "hci:5")
    let found = problem { try opening.openUserChannel(5) }
    let present = [AdapterName(index: 0, address: Self.one), AdapterName(index: 1, address: Self.two)]
    #expect(found == .missing(present: present))
    #expect(problem { try opening.openRawChannel(5) } == .missing(present: present))
    #expect(
      found?.description == "this adapter isn't there; there are hci0 (00:AA:01:00:00:23), hci1 (00:AA:01:01:00:24)")
    kernel.change { $0.records = [:] }
    #expect(problem { try opening.openUserChannel(0) } == .missing(present: []))
  }

  @Test func anAddressIsFoundUnderEveryNumber() throws {
    let kernel = FakeKernel([.sample(0, nil), .sample(1, Self.one)])
    let opening = try opening(kernel, "hci:\(Self.one)")
    _ = try opening.openUserChannel(of: Self.one)
    kernel.change { $0.records = [7: .sample(7, Self.one), 1: .sample(1, Self.two)] }
    _ = try opening.openUserChannel(of: Self.one)
    #expect(kernel.log == ["open 1 user", "open 7 user"])
    kernel.change { $0.records = [0: .sample(0, nil)] }
    let missing = problem { try opening.openUserChannel(of: Self.one) }
    #expect(missing == .missing(present: [AdapterName(index: 0, address: nil)]))
    #expect(missing?.description.contains("hci0 (address unknown)") == true)
  }

  @Test func aNumberThatChangedHandsMeanwhileIsRefused() throws {
    let kernel = FakeKernel([.sample(0, Self.two)])
    let opening = try opening(kernel, "hci:\(Self.one)")
    let found = problem { try opening.openUserChannel(0, address: Self.one) }
    #expect(found == .missing(present: [AdapterName(index: 0, address: Self.two)]))
  }

  @Test func anAdapterThatIsUpIsNotTakenUnasked() throws {
    let kernel = FakeKernel([.sample(0, Self.one, up: true)])
    let found = problem { try opening(kernel).openUserChannel(0) }
    #expect(found == .held(.kernel([])))
    #expect(found?.description.contains("--take-over") == true)
    #expect(kernel.log == ["open 0 user"])
  }

  @Test func takenOverAdaptersComeBack() throws {
    let kernel = FakeKernel([.sample(0, Self.one, up: true)])
    // Who manages it brings it up again twice.
    kernel.change { $0.comebacks = 2 }
    var transport: KernelTransport? = try opening(kernel, takesOver: true).openUserChannel(0)
    let number = kernel.end
    #expect(try kernel.record(of: 0).isUp == false)
    _ = transport?.descriptor
    transport = nil
    let taking = ["open 0 user", "down 0", "up 0", "open 0 user", "down 0", "up 0", "open 0 user", "down 0"]
    #expect(kernel.log == taking + ["open 0 user", "up 0"])
    // It was closed before that.
    var byte: UInt8 = 0
    #expect(unsafe recv(number, &byte, 1, 0) == 0)
  }

  @Test func whatCannotBeTakenOverIsGivenBack() throws {
    let kernel = FakeKernel([.sample(0, Self.one, up: true)])
    kernel.change { $0.comebacks = .max }
    let opening = try opening(kernel, takesOver: true, within: .zero)
    #expect(problem { try opening.openUserChannel(0) } == .held(.kernel([])))
    let late = FakeKernel([.sample(0, Self.one, up: true)])
    late.change { $0.openErrors = [.busy, .blockedByKillSwitch] }
    let blocked = problem { try self.opening(late, takesOver: true).openUserChannel(0) }
    #expect(blocked == .blocked(KillSwitch(soft: false, hard: false)))
    #expect(late.log == ["open 0 user", "down 0", "open 0 user", "up 0"])
    let unprivileged = FakeKernel([.sample(0, Self.one, up: true)])
    unprivileged.change { $0.takeDownError = .notPermitted }
    let error = problem { try self.opening(unprivileged, takesOver: true).openUserChannel(0) }
    #expect(error == .missingCapability(.networkAdministration))
  }

  @Test func aTakeOverThatNeverSucceedsCanBeCancelled() throws {
    let kernel = FakeKernel([.sample(0, Self.one, up: true)])
    kernel.change { $0.comebacks = .max }
    cancel.signal()
    let error = #expect(throws: RadioError.self) { try self.opening(kernel, takesOver: true).openUserChannel(0) }
    #expect(error == .stopped)
    #expect(kernel.log.filter { $0 == "down 0" }.count == 1 && kernel.log.last == "up 0", "given back")
  }

  @Test(arguments: [true, false]) func aProgramsAdapterIsNobodyElses(takesOver: Bool) throws {
    let kernel = FakeKernel([.sample(0, Self.one, up: true)])
    kernel.change { $0.programs = [0] }
    let opening = try opening(kernel, takesOver: takesOver)
    let found = problem { try opening.openUserChannel(0) }
    #expect(found == .held(.program([])))
    #expect(found?.description.hasPrefix("another process has the adapter for itself; end that") == true)
    #expect(problem { try opening.openRawChannel(0) } == .held(.program([])))
    #expect(!kernel.log.contains("down 0"))
  }

  @Test func anAdapterThatIsBeingSetUpIsWaitedFor() throws {
    let kernel = FakeKernel([.sample(0, Self.one)])
    kernel.change { $0.openErrors = [.busy, .busy, .busy] }
    _ = try opening(kernel).openUserChannel(0)
    #expect(kernel.log.count == 4)
    kernel.change { $0.openErrors = [.busy, .busy] }
    let late = try opening(kernel, within: .zero)
    #expect(problem { try late.openUserChannel(0) } == .starting)
    // One that is blocked meanwhile is said to be.
    try directory.killSwitch(0, of: "hci0", soft: "1", hard: "0")
    kernel.change { $0.openErrors = [.busy] }
    let blocked = problem { try opening(kernel).openUserChannel(0) }
    #expect(blocked == .blocked(KillSwitch(soft: true, hard: false)))
    try directory.write("sys/class/rfkill/rfkill0/soft", "0")
    // A stop ends the wait.
    kernel.change { $0.openErrors = Array(repeating: .busy, count: 1000) }
    cancel.signal()
    #expect(throws: RadioError.stopped) { _ = try opening(kernel).openUserChannel(0) }
  }

  @Test(arguments: [
    (Errno.addressFamilyNotSupported, AdapterProblem.noBluetooth),
    (.protocolNotSupported, .noBluetooth),
    (.notPermitted, .missingCapability(.networkAdministration)),
    (.permissionDenied, .missingCapability(.networkAdministration)),
    (.blockedByKillSwitch, .blocked(KillSwitch(soft: true, hard: false))),
    (.networkDown, .down),
    (.inputOutput, .failed(operation: "open", .inputOutput)),
  ])
  func everyErrorHasItsMeaning(_ errno: Errno, _ expected: AdapterProblem) throws {
    let kernel = FakeKernel([.sample(0, Self.one)])
    try directory.killSwitch(3, of: "hci0", soft: "1", hard: "0")
    kernel.change { $0.openErrors = [errno] }
    #expect(problem { try opening(kernel).openUserChannel(0) } == expected)
  }

  @Test func withoutBluetoothNothingIsThere() throws {
    let kernel = FakeKernel([])
    kernel.change { $0.error = .addressFamilyNotSupported }
    let opening = try opening(kernel)
    #expect(problem { try opening.openUserChannel(of: Self.one) } == .noBluetooth)
    #expect(problem { try opening.openUserChannel(0) } == .noBluetooth)
    #expect(problem { try opening.openRawChannel(0) } == .noBluetooth)
    #expect(throws: AdapterProblem.noBluetooth) { try Adapter.all(of: kernel, root: directory.path) }
  }

  @Test func theRawChannelWantsTheAdapterUpAndLEMeta() throws {
    let kernel = FakeKernel([.sample(0, Self.one)])
    let opening = try opening(kernel, "hci-raw:0")
    #expect(problem { try opening.openRawChannel(0) } == .down)
    try directory.killSwitch(0, of: "hci0", soft: "0", hard: "1")
    let blocked = problem { try opening.openRawChannel(0) }
    #expect(blocked == .blocked(KillSwitch(soft: false, hard: true)))
    kernel.change { $0.records[0] = .sample(0, Self.one, up: true) }
    let transport = try opening.openRawChannel(0)
    #expect(transport.isShared)
    // As the kernel does it to a program without CAP_NET_RAW: its own mask over the wanted one, without a word.
    kernel.change { state in
      state.filter = { filter in
        filter.enumerated().map { $0.offset == 11 ? $0.element & 0x3F : $0.element }
      }
    }
    let stripped = problem { try opening.openRawChannel(0) }
    #expect(stripped == .missingCapability(.rawNetwork))
    #expect(stripped?.description.contains("AmbientCapabilities=CAP_NET_RAW") == true)
  }
}

extension TemporaryDirectory {
  /// A kill switch as sysfs has it.
  func killSwitch(_ number: Int, of name: String, soft: String, hard: String) throws {
    for folder in ["sys", "sys/class", "sys/class/rfkill"] where !has(folder) { try makeDirectory(folder) }
    let folder = "sys/class/rfkill/rfkill\(number)"
    try makeDirectory(folder)
    for (file, text) in [("name", name), ("soft", soft), ("hard", hard)] { try write("\(folder)/\(file)", text + "\n") }
  }
}
