// ShownPoints: extension points for people: a table of all, or all data about one.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPoints
import ExtensionProtocol

/// The action of `show --point`.
struct ShownPoints {
    let identifier: String?
    let global: GlobalOptions

    func write() async throws {
        let records = try await records()
        guard let identifier else {
            return try StandardOutput.write(
                global.json ? JSON.array(records.map(\.json)).document : Self.table(records))
        }
        let record = try Self.find(identifier, in: records)
        try StandardOutput.write(global.json ? record.json.document : Self.block(record))
    }

    private static func find(_ name: String, in records: [PointRecord]) throws(CommandError) -> PointRecord {
        do {
            return try records.named(name)
        } catch {
            let names = records.map {
                name.contains(".") ? $0.identifier : String($0.identifier.split(separator: ".").last ?? "")
            }
            guard case .missing(let what, let remedy) = error, let question = NearestNames.question(name, among: names)
            else {
                throw error
            }
            throw .missing(what, remedy: "\(question) \(remedy)")
        }
    }

    /// Returns the daemon's points, which may be more; without a daemon, those of the files that it would read.
    private func records() async throws -> [PointRecord] {
        do {
            return try await global.withControl { try await $0.points() }
        } catch let error as ExtensionHostError where error.code == .noDaemon && !global.namesDaemon {
            if !global.quiet {
                StandardError.line(
                    "exthostctl: no daemon runs: these are the points of this program and of this user's files")
            }
            return PointTable(folders: PointFolders.named ?? PointFolders.user).records
        }
    }

    private static func table(_ records: [PointRecord]) -> String {
        var table = Table("POINT", "NAME", "INTERFACE", "PROCESS", "RULES", "REQUEST", "MEMORY", "FROM")
        for record in records where record.problems.isEmpty {
            table.add(
                record.identifier, record.name, record.hasInterface ? "yes" : "no", record.policy,
                record.takesActivationRules ? "yes" : "no", request(record), memory(record),
                record.path ?? "built in")
        }
        let bad = records.flatMap { record in
            record.problems.map { "\(Colour.red("no point")): \(printable("\(record.identifier): \($0)"))\n" }
        }
        let note = "In brackets: a limit of Apple's devices, which applies only with a profile (exthostd --profile).\n"
        let hasFigures = records.contains { $0.path == nil && $0.memoryLimit != nil }
        return table.text(emptyNote: "There are no extension points.") + (hasFigures ? "\n" + note : "") + bad.joined()
    }

    /// Returns the memory limit. It is in brackets if it applies only with a profile, and so limits nothing here.
    private static func memory(_ record: PointRecord) -> String {
        let text = written(bytes: record.memoryLimit?.bytes)
        return record.path == nil && record.memoryLimit != nil ? "(\(text))" : text
    }

    private static func summary(_ limit: PointRecord.Limit) -> String {
        ResourceLimits.Name(rawValue: limit.name)?.written(limit.limit) ?? "\(limit.name) \(limit.limit)"
    }

    private static func request(_ record: PointRecord) -> String {
        record.timers.first { $0.name == "request" }.map { written(seconds: $0.delay) } ?? "-"
    }

    private static func block(_ record: PointRecord) -> String {
        var text = "\(printable(record.identifier))\n" + ListedExtension.entry("Name", record.name)
        for problem in record.problems { text += ListedExtension.entry("Problem", problem) }
        text += ListedExtension.entry("Interface", record.hasInterface ? "yes" : "no")
        let waiting = record.prewarm > 0 ? ", \(record.prewarm) prewarmed" : ""
        text += ListedExtension.entry("Process", record.policy + waiting)
        text += ListedExtension.entry("Rules", record.takesActivationRules ? "yes" : "no")
        let timers = record.timers.map { "\($0.name) \(written(seconds: $0.delay))" }
        text += ListedExtension.entry("Timers", timers.joined(separator: ", "))
        let memory = record.memoryLimit.map {
            "\(written(bytes: $0.bytes)), \($0.provenance): \($0.source)"
                + (record.path == nil ? "; applies only with a profile" : "")
        }
        text += ListedExtension.entry("Memory", memory ?? "no known limit")
        if !record.limits.isEmpty {
            text += ListedExtension.entry("Limits", record.limits.map(summary).joined(separator: ", "))
        }
        text += ListedExtension.entry("Open URL", record.urlPolicy)
        text += ListedExtension.entry("Host state", record.hostNotifications ? "announced" : "not announced")
        if !record.accepts.isEmpty { text += ListedExtension.entry("Accepts", record.accepts.joined(separator: ", ")) }
        if !record.sends.isEmpty { text += ListedExtension.entry("Sends", record.sends.joined(separator: ", ")) }
        let limits = record.callLimits.map { "\($0.name) \(written(seconds: $0.delay))" }
        if !limits.isEmpty { text += ListedExtension.entry("Call limits", limits.joined(separator: ", ")) }
        if let framework = record.framework {
            text += ListedExtension.entry("Framework", framework + (record.support.map { ", class \($0)" } ?? ""))
        }
        if let ends = record.ends { text += ListedExtension.entry("Ends", "after \(ends)") }
        if !record.consents.isEmpty {
            text += ListedExtension.entry("Consents", record.consents.joined(separator: ", "))
        }
        if let entitlement = record.entitlement { text += ListedExtension.entry("Entitlement", entitlement) }
        if let confinement = record.confinement {
            let unless = [confinement.consent.map { "consent \($0)" }, confinement.attribute].compactMap(\.self)
            text += ListedExtension.entry(
                "Confinement",
                "network \(confinement.network), group containers \(confinement.groupContainers)"
                    + (unless.isEmpty ? "" : ", unless \(unless.joined(separator: " and "))"))
        }
        if let source = record.source { text += ListedExtension.entry("Source", source) }
        return text + ListedExtension.entry("From", record.path ?? "built in")
    }
}
