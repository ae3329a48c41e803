// ShownExtension: all data about one extension, for people and as JSON.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import PropertyListCoding

struct ShownExtension {
    let identifier: String
    let global: GlobalOptions

    func write() async throws {
        let (detail, processes) = try await global.withControl {
            (try await $0.show(identifier), try await $0.processes())
        }
        let running = processes.filter { $0.extensionIdentifier == detail.record.identifier }
        try StandardOutput.write(global.json ? Self.json(detail, running).document : Self.text(detail, running))
    }

    private static func information(of detail: ExtensionDetail) -> PropertyList? {
        detail.information.flatMap { try? PropertyList(binary: $0, limits: .packet) }
    }

    private static func text(_ detail: ExtensionDetail, _ processes: [ProcessRecord]) -> String {
        func entry(_ key: String, _ value: String?) -> String { value.map { ListedExtension.entry(key, $0) } ?? "" }
        var text = ListedExtension(record: detail.record).block
        text += entry("Principal Class", detail.principalClass) + entry("Executable", detail.executable)
        text += entry("Rule", detail.record.rule.explanation)
        text += entry("App Groups", detail.groups.isEmpty ? nil : detail.groups.joined(separator: ", "))
        text += entry("Network", detail.network.isEmpty ? nil : detail.network.joined(separator: ", "))
        text += entry("Consents", detail.consents.isEmpty ? nil : detail.consents.joined(separator: ", "))
        for fault in detail.refused { text += entry("Refused", fault) }
        if detail.count > 1 {
            text += entry("Copies", "\(detail.count); exthostctl which \(detail.record.identifier) shows them")
        }
        for process in processes {
            text += entry("Process", "\(process.pid), \(process.state), \(written(bytes: process.memory))")
        }
        let attributes = information(of: detail)?.dictionary?["NSExtension"]?.dictionary?["NSExtensionAttributes"]?
            .dictionary
        for (key, value) in attributes ?? [:] {
            text += entry("Attribute", "\(key) = \(JSON(value).document.dropLast())")
        }
        return text
    }

    /// Returns the members of `list`, and more.
    private static func json(_ detail: ExtensionDetail, _ processes: [ProcessRecord]) -> JSON {
        guard case .object(var members) = ListedExtension(record: detail.record).json else { return .null }
        members += [
            ("uuid", .string(detail.record.uuid)), ("registered", .time(detail.record.registered)),
            ("shortName", .optional(detail.record.shortName)), ("parentName", .optional(detail.record.parentName)),
            ("rule", .string(detail.record.rule.rawValue)), ("copies", .integer(detail.count)),
            ("warnings", .array(detail.record.warnings.map(JSON.string))),
            ("principalClass", .optional(detail.principalClass)), ("executable", .optional(detail.executable)),
            ("groups", .array(detail.groups.map(JSON.string))),
            ("refusedGroups", .array(detail.refused.map(JSON.string))),
            ("network", .array(detail.network.map(JSON.string))),
            ("consents", .array(detail.consents.map(JSON.string))),
            ("pids", .array(processes.map { .integer($0.pid) })),
            ("information", information(of: detail).map { JSON($0) } ?? .null),
        ]
        return .object(members)
    }
}

extension ReductionRule {
    /// The rule in words.
    var explanation: String {
        switch self {
        case .onlyCopy: "used: there is no other usable copy"
        case .highestVersion: "used: its version is the highest"
        case .lastRegistered: "used: it was registered last among the copies of the highest version"
        case .lowerVersion: "superseded: another copy has a higher version"
        case .registeredEarlier: "superseded: another copy of the same version was registered later"
        case .disabled: "disabled: it has faults"
        case .unrecognized: "by a rule of a newer daemon"
        }
    }
}

extension JSON {
    /// Makes JSON of a property list, with bytes as their count, and dates in seconds since 2001, as property lists
    /// have them.
    init(_ value: PropertyList) {
        switch value {
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(Int(number))
        case .real(let number), .date(let number): self = .real(number)
        case .string(let text): self = .string(text)
        case .data(let bytes): self = .object([("bytes", .integer(bytes.count))])
        case .array(let values): self = .array(values.map { JSON($0) })
        case .dictionary(let dictionary): self = .object(dictionary.map { ($0, JSON($1)) })
        }
    }
}
