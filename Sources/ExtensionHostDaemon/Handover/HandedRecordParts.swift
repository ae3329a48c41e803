// HandedRecordParts: the parts of the journal's records beside their keys, and two values of several keys each.

import ExtensionPoints
import ExtensionProtocol
import LinuxSystem

extension HandedProcess {
    var isStored: Bool { inodes.count == Self.parts }
    static let parts = 4
    /// The number of a process's descriptors in the store: the parts, and its pidfd.
    static let descriptors = parts + 1
}

extension HandedGroup {
    /// Whether the group is possible: an absolute path without `..`, and a known version.
    var canBe: Bool {
        path.hasPrefix("/") && !path.split(separator: "/").contains("..") && (1...2).contains(version)
    }
}

extension UserIdentity {
    /// Reads the identity of a record; nil for that of a user's own daemon.
    init?(handed fields: Fields) throws(ProtocolError) {
        guard let groups = try fields.optional(.groups, as: [UInt32].self) else { return nil }
        guard let first = groups.first else { throw .wrongType(key: "groups", kind: "record") }
        self.init(uid: try fields.value(.user), gid: first, groups: Array(groups.dropFirst()))
    }

    /// Writes the user and its groups, the group of its files first.
    func handOver(in fields: inout FieldWriter) {
        fields.set(.user, uid)
        fields.set(.groups, [gid] + groups)
    }
}

extension ResourceLimits.Name {
    /// Reads the limits that a process has reached from a record.
    static func reached(handed fields: Fields) throws(ProtocolError) -> [Self] {
        try (fields.optional(.reached, as: [String].self) ?? []).map { (text) throws(ProtocolError) in
            guard let name = Self(rawValue: text) else { throw .wrongType(key: "reached", kind: "record") }
            return name
        }
    }
}

extension ResourceLimits {
    /// Reads the limits of a record; none is set if the record has none.
    init(handed fields: Fields) throws(ProtocolError) {
        self.init()
        for text in try fields.optional(.limits, as: [String].self) ?? [] {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let name = Name(rawValue: parts[0]), let value = Int(parts[1]),
                name.bounds.contains(value)
            else { throw .wrongType(key: "limits", kind: "record") }
            self[setting: name] = .limit(value)
        }
    }

    /// Writes the limits that are set, each as `NAME=VALUE`.
    func handOver(in fields: inout FieldWriter) {
        let all = Name.allCases.compactMap { name in self[name].map { "\(name.rawValue)=\($0)" } }
        if !all.isEmpty { fields.set(.limits, all) }
    }
}
