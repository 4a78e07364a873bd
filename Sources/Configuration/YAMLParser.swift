internal import CYAML

/// What a YAML text may take at most.
public struct YAMLLimits: Sendable {
  /// Bytes of the text.
  public var size: Int
  /// Levels of lists and mappings in one another.
  public var depth: Int

  /// 1 MiB and 16 levels unless told otherwise.
  public init(size: Int = 1 << 20, depth: Int = 16) {
    self.size = size
    self.depth = depth
  }
}

extension YAMLNode {
  /// Reads one YAML document in UTF-8 with libyaml.
  ///
  /// - Parameter file: the name that complaints give.
  /// - Throws: where the text isn't YAML, exceeds the limits, repeats a key, or uses an anchor, alias, tag or second
  ///   document.
  public init(parsing bytes: [UInt8], file: String, limits: YAMLLimits = YAMLLimits()) throws(ConfigurationError) {
    guard bytes.count <= limits.size else {
      let problem = "expected at most \(limits.size) bytes, found \(bytes.count)"
      throw ConfigurationError(file: file, line: 1, field: "", problem: problem)
    }
    // A byte order mark, as some editors write it; libyaml takes it for text where the encoding is given.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    let result: Result<YAMLNode, ConfigurationError> = unsafe text.withUnsafeBufferPointer { buffer in
      let parser = unsafe YAMLParser(buffer, file: file, depth: limits.depth)
      do throws(ConfigurationError) { return .success(try parser.document()) } catch { return .failure(error) }
    }
    self = try result.get()
  }
}

/// libyaml's parser over bytes that outlive it; one use, one thread.
///
/// Safety: `parser` points to memory of its own from init to deinit and is given to libyaml only; the bytes are
/// borrowed by the only caller, `YAMLNode.init(parsing:file:limits:)`, for longer than it.
@safe private final class YAMLParser {
  /// One event, copied out of libyaml.
  private enum Event {
    case streamStart
    case streamEnd
    case documentStart
    case documentEnd
    case scalar(String, quoted: Bool)
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
  }

  // libyaml keeps a pointer to the parser in the parser, so its address must not change.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let isReady: Bool
  private let file: String
  private let depth: Int
  /// Line of the last event, from 1.
  private var line = 1

  init(_ bytes: UnsafeBufferPointer<UInt8>, file: String, depth: Int) {
    self.file = file
    self.depth = depth
    unsafe parser = .allocate(capacity: 1)
    unsafe isReady = yaml_parser_initialize(parser) == 1
    guard isReady else { return }
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    if isReady { unsafe yaml_parser_delete(parser) }
    unsafe parser.deallocate()
  }

  /// The only document of the text; an empty text is an empty value.
  func document() throws(ConfigurationError) -> YAMLNode {
    guard isReady else { throw complaint("out of memory") }
    guard case .streamStart = try next() else { throw complaint("expected the start of a text") }
    guard case .documentStart = try next() else { return YAMLNode(content: .null, line: 1) }
    let root = try node(try next(), path: [])
    guard case .documentEnd = try next() else { throw complaint("expected the end of the document") }
    guard case .streamEnd = try next() else { throw complaint("expected one document, found a second") }
    return root
  }

  private func node(_ event: Event, path: [String]) throws(ConfigurationError) -> YAMLNode {
    let start = line
    switch event {
    case .scalar(let text, let quoted):
      let isNull = !quoted && ["", "~", "null"].contains(text)
      return YAMLNode(content: isNull ? .null : .scalar(text), line: start)
    case .sequenceStart:
      try checkDepth(path)
      var elements: [YAMLNode] = []
      while true {
        let event = try next()
        if case .sequenceEnd = event { return YAMLNode(content: .sequence(elements), line: start) }
        elements.append(try node(event, path: path + ["[\(elements.count)]"]))
      }
    case .mappingStart:
      try checkDepth(path)
      return YAMLNode(content: .mapping(try entries(path)), line: start)
    default:
      throw complaint("expected a value", path)
    }
  }

  private func entries(_ path: [String]) throws(ConfigurationError) -> [YAMLNode.Entry] {
    var entries: [YAMLNode.Entry] = []
    var lines: [String: Int] = [:]
    while true {
      let event = try next()
      if case .mappingEnd = event { return entries }
      guard case .scalar(let key, _) = event else { throw complaint("expected a key that is text", path) }
      let start = line
      if let first = lines.updateValue(start, forKey: key) {
        throw complaint("is given twice, first in line \(first)", path + [key])
      }
      entries.append(YAMLNode.Entry(key: key, line: start, value: try node(try next(), path: path + [key])))
    }
  }

  private func checkDepth(_ path: [String]) throws(ConfigurationError) {
    if path.count >= depth { throw complaint("expected at most \(depth) levels", path) }
  }

  private func complaint(_ problem: String, _ path: [String] = []) -> ConfigurationError {
    ConfigurationError(file: file, line: line, field: joined(path), problem: problem)
  }

  private func next() throws(ConfigurationError) -> Event {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw syntaxError }
    defer { unsafe yaml_event_delete(&event) }
    unsafe line = Int(clamping: event.start_mark.line) + 1
    switch unsafe event.type {
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_STREAM_END_EVENT: return .streamEnd
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      try unsafe refuse(scalar.anchor, scalar.tag)
      let text = unsafe String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      return .scalar(text, quoted: unsafe scalar.style != YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT:
      try unsafe refuse(event.data.sequence_start.anchor, event.data.sequence_start.tag)
      return .sequenceStart
    case YAML_MAPPING_START_EVENT:
      try unsafe refuse(event.data.mapping_start.anchor, event.data.mapping_start.tag)
      return .mappingStart
    case YAML_ALIAS_EVENT: throw complaint("expected no aliases (*name): write the value out")
    default: throw complaint("expected a value")
    }
  }

  private func refuse(
    _ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?
  ) throws(ConfigurationError) {
    if unsafe anchor != nil { throw complaint("expected no anchors (&name)") }
    if unsafe tag != nil { throw complaint("expected no tags (!name)") }
  }

  /// What libyaml itself complains about, with the line where it stopped.
  private var syntaxError: ConfigurationError {
    let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "not readable as YAML"
    let context = unsafe parser.pointee.context.map { unsafe " (\(String(cString: $0)))" } ?? ""
    // The reader (bad UTF-8, control characters) knows an offset only.
    let isReader = unsafe parser.pointee.error == YAML_READER_ERROR
    let mark = isReader ? unsafe parser.pointee.mark.line : unsafe parser.pointee.problem_mark.line
    return ConfigurationError(
      file: file, line: Int(clamping: mark) + 1, field: "", problem: "expected YAML: \(problem)\(context)")
  }
}

/// Keys with points between, indices as they are: `doors.front.lock.command.unlock[0]`.
func joined(_ path: [String]) -> String {
  path.reduce(into: "") { text, part in text += text.isEmpty || part.hasPrefix("[") ? part : "." + part }
}
