internal import POSIX

/// Finds the processes that have sockets of HCI: the kernel's list of those, and every process's descriptors.
///
/// The descriptors of other users' processes are seen by root only.
enum AdapterUsers {
  /// All but this process.
  ///
  /// - Parameter root: of the file system that holds /proc.
  static func all(root: String = "") -> [AdapterUser] {
    let sockets = Set(inodes(kernelText("\(root)/proc/net/hci") ?? "").map { "socket:[\($0)]" })
    if sockets.isEmpty { return [] }
    let own = linkTarget("\(root)/proc/self")
    let processes = directoryEntries("\(root)/proc").filter { $0 != own }.compactMap { Int32($0) }
    return processes.sorted().compactMap { process in
      let folder = "\(root)/proc/\(process)"
      let has = directoryEntries("\(folder)/fd").contains { entry in
        linkTarget("\(folder)/fd/\(entry)").map { sockets.contains($0) } ?? false
      }
      return has ? AdapterUser(process: process, name: kernelText("\(folder)/comm") ?? "?") : nil
    }
  }

  /// The sixth column of every line but the first, which holds the titles.
  static func inodes(_ table: String) -> [Substring] {
    table.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      return fields.count > 5 && fields[5] != "0" && UInt64(fields[5]) != nil ? fields[5] : nil
    }
  }

  /// Who has an adapter that is up.
  ///
  /// - Parameter isProgram: whether it is on a user channel.
  static func holder(isProgram: Bool, among users: [AdapterUser]) -> AdapterHolder {
    let managers = users.filter { $0.name == "bluetoothd" }
    return isProgram ? .program(users.filter { !managers.contains($0) }) : .kernel(managers)
  }
}
