public import AccessControl
internal import AirProtocol
internal import LatchkeyCrypto
internal import POSIX

/// One way in which two bundles differ; never shows a key.
public enum BundleDifference: Hashable, Sendable {
  /// A property of the door or site; texts for people.
  case property(name: String, old: String, new: String)
  /// Only the new bundle has this credential.
  case added(CredentialRule)
  /// Only the old bundle has this credential.
  case removed(CredentialRule)
  /// Both have the credential, but a field of its rule, or its keys, differ.
  case changed(Identifier, field: String, old: String, new: String)
}

extension DoorBundle {
  /// What differs from this bundle to a newer one: properties first, then credentials in the order of their ids.
  ///
  /// Serial and time of issue always differ between two exports and aren't named.
  public func differences(to new: DoorBundle) -> [BundleDifference] {
    var found = zip(properties, new.properties).compactMap { old, new -> BundleDifference? in
      old.value == new.value ? nil : .property(name: old.name, old: old.value, new: new.value)
    }
    if signer != new.signer { found.append(.property(name: "signing key", old: "one", new: "another")) }
    if header.zone.bytes != new.header.zone.bytes {
      found.append(.property(name: "time zone data", old: "one version", new: "another"))
    }
    if hintRoot != new.hintRoot || beaconKey != new.beaconKey {
      found.append(.property(name: "door keys", old: "one pair", new: "another"))
    }
    // Under another number or site every key is another one: that is said once, above.
    let isSameDoor = header.number == new.header.number && header.site.id == new.header.site.id
    appendRules(to: new, comparingKeys: isSameDoor, &found)
    return found
  }

  private func keys(at index: Int) -> [Block?] { [frameKeys.block(at: index), hintSecrets.block(at: index)] }

  private var properties: [(name: String, value: String)] {
    let site = header.site
    return [
      ("site", "\(site.id)"), ("site name", site.name.text), ("door", header.door.text),
      ("door name", header.doorName.text), ("number", "\(header.number)"),
      ("valid until", moment(header.validUntil)), ("slot seconds", "\(site.slotClock.slotSeconds)"),
      ("skew slots", "\(site.slotClock.skewSlots)"), ("challenge seconds", "\(site.challengeSeconds)"),
      ("name marker", site.markers.nameText), ("uuid16 marker", String(site.markers.uuid16, radix: 16)),
      ("time zone", header.zone.name),
    ]
  }

  /// Walks both lists of credentials, which are sorted by id, side by side.
  private func appendRules(to new: DoorBundle, comparingKeys: Bool, _ found: inout [BundleDifference]) {
    var (left, right) = (0, 0)
    while left < rules.count || right < new.rules.count {
      let (old, recent) = (rules[left], new.rules[right])
      switch (old, recent) {
      case (let old?, let recent?) where old.id == recent.id:
        found += changes(from: old, to: recent)
        if comparingKeys, keys(at: left) != new.keys(at: right) {
          found.append(.changed(old.id, field: "keys", old: "one pair", new: "another"))
        }
        (left, right) = (left + 1, right + 1)
      case (let old?, let recent) where recent.map({ old.id < $0.id }) ?? true:
        found.append(.removed(old))
        left += 1
      case (_, let recent?):
        found.append(.added(recent))
        right += 1
      default: return
      }
    }
  }
}

private func changes(from old: CredentialRule, to new: CredentialRule) -> [BundleDifference] {
  if old == new { return [] }
  return zip(fields(old), fields(new)).compactMap { left, right in
    left.value == right.value ? nil : .changed(old.id, field: left.name, old: left.value, new: right.value)
  }
}

private func fields(_ rule: CredentialRule) -> [(name: String, value: String)] {
  [
    ("holder", rule.holder.text), ("status", "\(rule.status)"), ("commands", "\(rule.permissions)"),
    ("freshness", rule.freshness.rawValue), ("from", moment(rule.validFrom)), ("until", moment(rule.validUntil)),
    ("uses", rule.uses.map { "\($0)" } ?? "no limit"),
  ]
}

private func moment(_ seconds: Int64?) -> String {
  seconds.map { WallTime(seconds: $0).rfc3339(milliseconds: false) } ?? "no limit"
}
