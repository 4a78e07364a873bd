internal import POSIX

/// Loads anew on SIGHUP, on a thread of its own: a large bundle takes a second that the air doesn't wait for.
struct Reloader {
  private let path: String
  private let running: DoorConfiguration
  private let mailbox: Mailbox
  private var thread: POSIX.Thread?
  /// A signal came while loading: once more, since the files may have changed under the reader.
  private var again = false

  /// Whether it is at work.
  var isLoading: Bool { thread != nil }

  init(path: String, running: DoorConfiguration, mailbox: Mailbox) {
    self.path = path
    self.running = running
    self.mailbox = mailbox
  }

  /// Begins to load; the result comes as a message.
  mutating func start() {
    guard thread == nil else {
      again = true
      return
    }
    let (path, running, mailbox) = (path, running, mailbox)
    do {
      thread = try POSIX.Thread(name: "reload") {
        do {
          let configuration = try DoorConfiguration.load(path: path)
          try configuration.requireSameMachine(as: running)
          mailbox.post(.loaded(try Rulebook(loading: configuration)))
        } catch {
          mailbox.post(.notLoaded("\(error)"))
        }
      }
    } catch {
      mailbox.post(.notLoaded("no thread to load with: \(error)"))
    }
  }

  /// The result has come.
  mutating func finished() {
    thread?.join()
    thread = nil
    if again {
      again = false
      start()
    }
  }
}

extension DoorConfiguration {
  /// What a reload can't change: the radio, the ledger, the clock and the site.
  func requireSameMachine(as running: DoorConfiguration) throws(LoadError) {
    let pairs: [(String, Bool)] = [
      ("radio", radio == running.radio), ("beacon-radio", beaconRadio == running.beaconRadio),
      ("radio-commands", radioCommands == running.radioCommands),
      ("take-over", takesOver == running.takesOver),
      ("site-key", siteKey == running.siteKey),
      ("state", statePath == running.statePath), ("volatile", volatileDirectory == running.volatileDirectory),
      ("clock", clock == running.clock), ("keep-events", keptEvents == running.keptEvents),
      ("metrics", metricsPath == running.metricsPath), ("control", controlPath == running.controlPath),
    ]
    if let (key, _) = pairs.first(where: { !$0.1 }) {
      throw .configuration("“\(key)” has changed, which takes a restart")
    }
  }
}
