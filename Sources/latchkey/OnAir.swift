import CommandLineTool
import HCI
import POSIX

/// Opens the radio, runs `body`, and goes off the air again, whatever ends it.
///
/// A signal ends the waiting of `body`; the process then ends as that signal ends processes, but off the air: an
/// advertisement outlives its program otherwise.
func onAir(
  _ radio: ChosenRadio, listens: Bool = false, _ body: (Broadcast) throws(CommandError) -> Void
) throws(CommandError) {
  let interruption = try Interruption()
  let broadcast: Broadcast
  do throws(RadioError) {
    broadcast = try Broadcast(opening: radio.spec, options: radio.options, pdu: radio.pdu, listens: listens)
  } catch {
    throw CommandError(radio: error)
  }
  interruption.cancels(broadcast)
  let result: Result<Void, CommandError>
  do throws(CommandError) { result = .success(try body(broadcast)) } catch { result = .failure(error) }
  let confirmed = broadcast.close()
  interruption.signal?.endProcess()
  try result.get()
  if !confirmed { throw CommandError(.radio, "the radio didn't confirm that it stopped sending; reset or unplug it") }
}

/// What a signal of the terminal or the service manager does to a command that is on the air.
private final class Interruption: Sendable {
  private struct State {
    var broadcast: Broadcast?
    var signal: Signal?
  }

  private let state = Monitor(State())
  private let signals: SignalQueue

  /// Takes the signals of all threads that are started from now on.
  init() throws(CommandError) {
    do throws(Errno) {
      signals = try SignalQueue(blocking: [.interrupt, .terminate, .hangUp])
      _ = try Thread(name: "signals") { [self] in
        while let signal = try? signals.next() { take(signal) }
      }
    } catch {
      throw CommandError(.radio, "the system gave no thread or descriptor: \(error)")
    }
  }

  /// The signal that came, once there is something to cancel.
  var signal: Signal? { state.withLock { $0.signal } }

  /// From now on a signal cancels the broadcast; before, it ends the process, for nothing is on the air.
  func cancels(_ broadcast: Broadcast) { state.withLock { $0.broadcast = broadcast } }

  private func take(_ signal: Signal) {
    let broadcast = state.withLock { state in
      state.signal = signal
      return state.broadcast
    }
    if let broadcast { broadcast.cancel() } else { signal.endProcess() }
  }
}
