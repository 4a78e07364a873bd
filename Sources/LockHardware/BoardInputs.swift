internal import POSIX

/// What a board's replies say of its inputs, told once for each change.
struct BoardInputs {
  private var isDoorOpen: Bool?
  private var exits: UInt8?
  private var problems: [InputRole: String] = [:]

  /// What another reply says that is new.
  mutating func take(_ reply: BoardReply) -> [(role: InputRole, reading: InputReading)] {
    var news: [(role: InputRole, reading: InputReading)] = []
    for role in InputRole.allCases {
      let isThere = role == .sensor ? reply.isDoorOpen != nil : reply.exits != nil
      if let change = isThere ? found(role) : lost(role, Self.absence(role)) { news.append(change) }
    }
    if let isOpen = reply.isDoorOpen, isOpen != isDoorOpen { news.append((.sensor, .contact(isOpen: isOpen))) }
    isDoorOpen = reply.isDoorOpen
    // The first count is the past's, and a reset begins anew.
    if let known = exits, let now = reply.exits, now != known, now != 0 {
      news += [(.exit, .exitAsked), (.exit, .exitOver)]
    }
    exits = reply.exits ?? exits
    return news
  }

  /// The board doesn't answer.
  mutating func lose(_ reason: String) -> [(role: InputRole, reading: InputReading)] {
    isDoorOpen = nil
    // Who asked meanwhile has gone: nothing opens for them now.
    exits = nil
    return InputRole.allCases.compactMap { lost($0, reason) }
  }

  private mutating func lost(_ role: InputRole, _ problem: String) -> (role: InputRole, reading: InputReading)? {
    problems.updateValue(problem, forKey: role) == problem ? nil : (role, .lost(problem))
  }

  private mutating func found(_ role: InputRole) -> (role: InputRole, reading: InputReading)? {
    problems.removeValue(forKey: role) == nil ? nil : (role, .found)
  }

  private static func absence(_ role: InputRole) -> String {
    role == .sensor ? "the board says nothing of the door" : "the board counts no exits"
  }
}
