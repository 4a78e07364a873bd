import JSON
import Provisioning

/// Credential files, the JSON that they are, and the base64url in them.
func checkCredential(_ input: [UInt8]) throws {
  try checkJSON(input)
  try checkBase64URL(input)
  guard case .success(let file) = credential(input) else { return }
  try require(credential(file.encoded()) == .success(file), "a credential is read as it was written")
  let ids = Set(file.doors.map(\.id))
  let numbers = Set(file.doors.map(\.number))
  try require(ids.count == file.doors.count && numbers.count == file.doors.count, "each door is there once")
}

private func credential(_ bytes: [UInt8]) -> Result<CredentialFile, CredentialFileError> {
  Result { () throws(CredentialFileError) in try CredentialFile(parsing: bytes) }
}

private func checkJSON(_ input: [UInt8]) throws {
  guard case .success(let value) = json(input) else { return }
  for layout in [JSONLayout.compact, .pretty] {
    try require(json(value.encoded(layout)) == .success(value), "JSON is read as it was written")
  }
  try require(
    !value.encoded(.compact).contains { $0 < 0x20 || $0 == 0x7F }, "JSON is written without control characters")
}

private func json(_ bytes: [UInt8]) -> Result<JSONValue, JSONError> {
  Result { () throws(JSONError) in try JSONValue(parsing: bytes) }
}

private func checkBase64URL(_ input: [UInt8]) throws {
  let text = String(decoding: input, as: UTF8.self)
  if let bytes = Base64URL.decode(text) {
    try require(Base64URL.encode(bytes) == text, "base64url has one form for the same bytes")
  }
  try require(Base64URL.decode(Base64URL.encode(input)) == input, "base64url is read as it was written")
}
