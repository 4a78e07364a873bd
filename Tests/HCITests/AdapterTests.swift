import CBluetooth
import Glibc
import POSIX
import TestSupport
import Testing

@testable import HCI

@Suite struct AdapterLayoutTests {
  @Test func theStructsAreThoseOfTheKernel() {
    #expect(AdapterRecord.length == MemoryLayout<hci_dev_info>.size)
    #expect(LinuxKernel.address(0x0102, .user).count == MemoryLayout<sockaddr_hci>.size)
    #expect(MemoryLayout<hci_dev_info>.offset(of: \.flags) == 16 && MemoryLayout<hci_dev_info>.offset(of: \.type) == 20)
    #expect(MemoryLayout<hci_dev_info>.offset(of: \.bdaddr) == 10)
  }

  @Test func aRecordIsReadWhole() throws {
    // hci1 of `btvirt -l2`, up, on a little-endian machine.
    let bytes = hex(
      "01 00 68 63 69 31 00 00 00 00 24 00 01 01 AA 00 01 00 00 00 10 A4 08 08 C0 58 1E 7B 83"
        + String(repeating: "00", count: 63))
    let record = try #require(AdapterRecord(parsing: bytes))
    #expect(record.index == 1 && record.isUp && !record.isStarting && record.type == 0x10)
    #expect(record.address?.description == "00:AA:01:01:00:24")
    #expect(record.features == 0x837B_1E58_C008_08A4)
    #expect(AdapterRecord(parsing: Array(bytes.dropLast())) == nil)
    #expect(AdapterRecord(parsing: []) == nil)
    #expect(AdapterRecord.sample(3, nil).address == nil)
  }

  @Test func theNumberIsInTheAddress() {
    #expect(LinuxKernel.address(7, .user) == [31, 0, 7, 0, 1, 0])
    #expect(LinuxKernel.address(258, .raw) == [31, 0, 2, 1, 0, 0])
  }

  @Test func theListIsReadAsFarAsItGoes() {
    var list = AdapterList.request
    #expect(list.count == 4 + 64 * 8 && list[0] == 64)
    list[0] = 2
    list[4] = 3
    list[12] = 1
    #expect(AdapterList.indices(list) == [3, 1])
    // A count that isn't true.
    list[0] = 0xFF
    list[1] = 0xFF
    #expect(AdapterList.indices(list).count == 64)
    #expect(AdapterList.indices([]).isEmpty)
  }

  @Test func theFilterHasSixteenBytesAndFourEvents() {
    #expect(EventFilter.wanted.count == 16 && EventFilter.length == 16)
    #expect(MemoryLayout<hci_filter>.stride == 16)
    #expect(EventFilter.wanted == hex("10 00 00 00 00 C0 01 00 00 00 00 40 00 00 00 00"))
    #expect(EventFilter.hasLEMeta(EventFilter.wanted))
    // What the kernel leaves of it to a program without CAP_NET_RAW.
    #expect(!EventFilter.hasLEMeta(hex("10 00 00 00 00 C0 00 00 00 00 00 00 00 00 00 00")))
    #expect(!EventFilter.hasLEMeta([]))
  }
}

@Suite struct AdapterTests {
  private let directory: TemporaryDirectory
  private let address = DeviceAddress(value: 0x00AA_0100_0023)

  init() throws { directory = try TemporaryDirectory() }

  @Test func killSwitchesAreFoundByName() throws {
    #expect(KillSwitch(ofAdapter: 0, root: directory.path) == nil)
    try directory.killSwitch(0, of: "phy0", soft: "1", hard: "1")
    try directory.killSwitch(4, of: "hci1", soft: "1", hard: "0")
    try directory.killSwitch(9, of: "hci0", soft: "0", hard: "1")
    #expect(KillSwitch(ofAdapter: 0, root: directory.path) == KillSwitch(soft: false, hard: true))
    #expect(KillSwitch(ofAdapter: 1, root: directory.path) == KillSwitch(soft: true, hard: false))
    #expect(KillSwitch(ofAdapter: 2, root: directory.path) == nil)
  }

  /// Processes with descriptors, and the kernel's list of HCI sockets.
  private func processes(_ all: [(number: Int, name: String, descriptors: [String])]) throws {
    try directory.makeDirectory("proc")
    try directory.makeDirectory("proc/net")
    try directory.write(
      "proc/net/hci",
      """
      sk               RefCnt Rmem   Wmem   User   Inode  Parent
      00000000fbcc2df5 2      0      0      0      10308  0
      00000000fbcc2df6 2      0      0      0      10309  0
      0000000000000000 2      0      0      0      0      0
      short
      """)
    for process in all {
      try directory.makeDirectory("proc/\(process.number)")
      try directory.makeDirectory("proc/\(process.number)/fd")
      try directory.write("proc/\(process.number)/comm", process.name + "\n")
      for (number, target) in process.descriptors.enumerated() {
        try systemCall { unsafe symlink(target, directory("proc/\(process.number)/fd/\(number)")) }
      }
    }
    try systemCall { unsafe symlink("77", directory("proc/self")) }
  }

  @Test func processesAreFoundByTheirSockets() throws {
    try processes([
      (312, "bluetoothd", ["/dev/null", "socket:[10308]"]), (40, "door", ["socket:[10309]"]),
      (41, "other", ["socket:[10310]", "pipe:[10308]"]), (77, "myself", ["socket:[10309]"]), (5, "idle", []),
    ])
    let users = AdapterUsers.all(root: directory.path)
    let (door, daemon) = (AdapterUser(process: 40, name: "door"), AdapterUser(process: 312, name: "bluetoothd"))
    #expect(users == [door, daemon])
    #expect(AdapterUsers.holder(isProgram: true, among: users) == .program([door]))
    #expect(AdapterUsers.holder(isProgram: false, among: users) == .kernel([daemon]))
    #expect(AdapterHolder.kernel([daemon]).words == "the kernel, for bluetoothd (process 312)")
    #expect(AdapterHolder.program([door, daemon]).words == "door (process 40) or bluetoothd (process 312)")
    #expect(AdapterHolder.program([]).words == "another process" && AdapterHolder.nobody.words == "nobody")
  }

  @Test func theListSaysWhatThereIs() throws {
    let le: [UInt8] = [0, 0, 0, 0, 0x40, 0, 0, 0]
    let kernel = FakeKernel([
      .sample(3, nil), .sample(0, address, up: true, features: le), .sample(1, address, starting: true),
      .sample(2, address, up: true, features: [1, 0, 0, 0, 0, 0, 0, 0]), .sample(4, address),
    ])
    kernel.change { $0.programs = [2] }
    try directory.killSwitch(1, of: "hci4", soft: "1", hard: "0")
    for folder in ["sys/kernel", "sys/kernel/debug", "sys/kernel/debug/bluetooth", "sys/kernel/debug/bluetooth/hci0"] {
      try directory.makeDirectory(folder)
    }
    for (file, text) in [("hci_version", "9"), ("manufacturer", "63"), ("features", Self.features)] {
      try directory.write("sys/kernel/debug/bluetooth/hci0/\(file)", text + "\n")
    }
    let adapters = try Adapter.all(of: kernel, root: directory.path)
    #expect(adapters.map(\.index) == [0, 1, 2, 3, 4])
    #expect(adapters.map(\.holder) == [.kernel([]), .nobody, .program([]), .nobody, .nobody])
    let free: RadioCondition = Capability.networkAdministration.isEffective ? .poweredOff : .unauthorized
    #expect(adapters.map(\.condition) == [.on, .resetting, .unsupported, free, .poweredOff])
    #expect(adapters[0].bus == "USB" && adapters[0].address == address && adapters[3].address == nil)
    let features = adapters[0].features
    #expect(features.coreVersion == "5.0" && features.manufacturer == 63)
    #expect(features.hasLE == true && features.hasExtendedAdvertising == false)
    #expect(adapters[3].features.hasLE == nil && adapters[3].features.coreVersion == nil)
    #expect(kernel.log.isEmpty, "looking opens nothing")
  }

  private static let features = " 0: 00 00 00 00 60 00 00 00\nLE: f1 cf 01 00 00 00 00 00"

  @Test func extendedAdvertisingIsBitTwelve() {
    #expect(AdapterFeatures.extendedAdvertising(Self.features) == false)
    #expect(AdapterFeatures.extendedAdvertising("LE: 00 10 00 00 00 00 00 00") == true)
    #expect(AdapterFeatures.extendedAdvertising(" LE: 0x00 0x10") == true)
    for other in ["", "LE:", "LE: 00", "LE: zz yy", " 0: 00 10"] {
      #expect(AdapterFeatures.extendedAdvertising(other) == nil)
    }
  }

  @Test func everyProblemSaysInOneLineWhatToDo() {
    let user = AdapterUser(process: 1, name: "x")
    let all: [(AdapterProblem, RadioCondition, String)] = [
      (.noBluetooth, .unsupported, "modprobe"), (.missing(present: []), .unknown, "plug one in"),
      (.missing(present: [AdapterName(index: 1, address: address)]), .unknown, "there are hci1"),
      (.held(.kernel([user])), .unknown, "--take-over"), (.held(.program([user])), .unknown, "x (process 1)"),
      (.held(.nobody), .unknown, "try again"), (.starting, .resetting, "try again"),
      (.blocked(KillSwitch(soft: true, hard: false)), .poweredOff, "rfkill unblock bluetooth"),
      (.blocked(KillSwitch(soft: false, hard: true)), .poweredOff, "switch for radios"),
      (.blocked(KillSwitch(soft: true, hard: true)), .poweredOff, "then run rfkill unblock"),
      (.blocked(KillSwitch(soft: false, hard: false)), .poweredOff, "rfkill list"),
      (.down, .poweredOff, "bring it up"), (.gone, .unknown, "once it is back"),
      (.missingCapability(.networkAdministration), .unauthorized, "setcap cap_net_admin+ep"),
      (.missingCapability(.rawNetwork), .unauthorized, "AmbientCapabilities=CAP_NET_RAW"),
      (.failed(operation: "open", .inputOutput), .unknown, "kernel's log"),
    ]
    for (problem, condition, words) in all {
      let error = RadioError.adapter(.userChannel(index: 0), problem)
      #expect(error.description.hasPrefix("radio hci:0: ") && error.description.contains(words), "\(error)")
      #expect(!error.description.contains("\n"))
      #expect(error.condition == condition)
      #expect(error.isMissingPermission == (condition == .unauthorized))
      #expect(error.isPermanent == [.unauthorized, .unsupported].contains(condition))
    }
  }
}
