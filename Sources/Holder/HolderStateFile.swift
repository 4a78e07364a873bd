public import AirProtocol
public import LatchkeyCrypto
public import POSIX

/// Why a credential's state can't be used; nothing was changed then.
public enum HolderStateError: Error, Hashable, Sendable {
  /// A file couldn't be read, written or locked.
  case file(FileError)
  /// Its text is cut off or changed.
  case damaged(path: String, problem: String)
  /// A later version of this program wrote it.
  case newer(path: String, format: String)
  /// It is too large to be read again.
  case tooLarge(path: String)
  /// Another process of the same credential holds it.
  case busy(path: String)
  /// OpenSSL failed.
  case crypto(CryptoError)
}

extension HolderStateError: CustomStringConvertible {
  /// One line: what is wrong, and the way back.
  public var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .damaged(let path, let problem):
      "\(path): damaged (\(problem)); move it away (mv -- '\(path)' '\(path).damaged'): the next command begins anew, "
        + "in the next time slot"
    case .newer(let path, let format):
      "\(path): expected “\(HolderState.family)\(HolderState.version)”, found “\(format)” of a later version of this "
        + "program; use that one"
    case .tooLarge(let path): "\(path): would exceed \(HolderStateFile.longest) bytes"
    case .busy(let path): "\(path): another process holds it; try later"
    case .crypto(let error): "\(error)"
    }
  }
}

/// Where the state of one credential lies: a file of its own, and beside it one that is locked while it changes.
public struct HolderStateFile: Sendable {
  /// The longest state that is read or written, in bytes; a door takes at most 25 kB of it.
  public static let longest = 1 << 28
  /// How long a process waits for another one of the same credential, which holds the lock for milliseconds.
  public static let patience = Duration.seconds(5)

  /// The file.
  public let path: String
  private let site: SiteID
  private let credential: String

  /// - Parameter directory: made when it is needed, open to its owner only.
  public init(directory: String, site: SiteID, credential: String) {
    self.site = site
    self.credential = credential
    path = "\(directory)/\(credential)@\(site).state"
  }

  /// Changes the state: alone among all processes of the credential, and durable before it returns.
  ///
  /// - Parameters:
  ///   - now: the slot of the clock, in which a state that isn't there begins.
  ///   - body: where it throws, nothing is written.
  public func update<Value, Failure: Error>(
    now: UInt64, _ body: (inout HolderState) throws(Failure) -> Value
  ) throws(HolderStateError) -> Result<Value, Failure> {
    try makeDirectories(directoryName(path))
    let lock: FileLock
    do throws(FileError) { lock = try FileLock.acquire(path + ".lock", until: .now() + HolderStateFile.patience) } catch
    {
      throw error.problem == .busy ? .busy(path: path) : .file(error)
    }
    return try withExtendedLifetime(lock) { () throws(HolderStateError) in
      let before = try load()
      var state = if let before { before } else { try begin(now) }
      let value: Value
      do throws(Failure) { value = try body(&state) } catch { return .failure(error) }
      if state != before { try store(state) }
      return .success(value)
    }
  }

  private func begin(_ now: UInt64) throws(HolderStateError) -> HolderState {
    do throws(CryptoError) {
      return HolderState(site: site, credential: credential, now: now, random: try SystemRandom.number(UInt8.self))
    } catch {
      throw .crypto(error)
    }
  }

  /// The state in the file; nil where there is none.
  private func load() throws(HolderStateError) -> HolderState? {
    let bytes: [UInt8]
    do throws(FileError) {
      if try fileStatus(path) == nil { return nil }
      bytes = try readFile(path, limit: HolderStateFile.longest)
    } catch {
      throw .file(error)
    }
    let state: HolderState
    do throws(HolderStateFault) { state = try HolderState(text: bytes) } catch {
      switch error {
      case .damaged(let problem): throw .damaged(path: path, problem: problem)
      case .newer(let format): throw .newer(path: path, format: format)
      }
    }
    guard state.site == site, state.credential == credential else {
      throw .damaged(path: path, problem: "it is the state of \(state.credential) at site \(state.site)")
    }
    return state
  }

  private func store(_ state: HolderState) throws(HolderStateError) {
    let text: [UInt8]
    do throws(CryptoError) { text = try state.text() } catch { throw .crypto(error) }
    guard text.count <= HolderStateFile.longest else { throw .tooLarge(path: path) }
    do throws(FileError) { try replaceFile(path, contents: text) } catch { throw .file(error) }
  }

  private func makeDirectories(_ directory: String) throws(HolderStateError) {
    do throws(FileError) {
      if try fileStatus(directory) != nil { return }
    } catch {
      throw .file(error)
    }
    let parent = directoryName(directory)
    if parent != directory { try makeDirectories(parent) }
    do throws(FileError) { try makeDirectory(directory) } catch { throw .file(error) }
  }
}
