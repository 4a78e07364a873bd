/// How long things may take (radio.md, "what a correct host does", 2).
struct Timings: Hashable, Sendable {
  /// A connection.
  var open = Duration.seconds(5)
  /// A command's reply, or leave to send the next.
  var command = Duration.seconds(2)
  /// The reply to Reset.
  var reset = Duration.seconds(5)
  /// Leaving the air after a fault that ends the radio.
  var farewell = Duration.seconds(1)
  /// The first delay before opening again; it doubles with each failure.
  var firstDelay = Duration.milliseconds(250)
  var longestDelay = Duration.seconds(30)
  /// Scanning without a report: then its ears are in doubt.
  var silence = Duration.seconds(90)
  /// More faults than `faultLimit` within this time: the stream is opened anew instead of another Reset.
  var faultWindow = Duration.seconds(60)
  var faultLimit = 3
}
