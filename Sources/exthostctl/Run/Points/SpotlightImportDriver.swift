// SpotlightImportDriver: `run` for a Spotlight import extension: the attributes of a file.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import PropertyListCoding
import Scenarios

struct SpotlightImportDriver: PointDriver {
    static let point = SpotlightHost.importPoint
    static let showsView = false
    static let takesFile = true
    static let sharedOptions: Set<String> = ["--type", "--search", "--query"]

    static var exploredCalls: [ExplorationCall] {
        get throws {
            let message = ImportFile(
                fileName: "explored.txt", type: "public.plain-text", file: try ExploredFile.make())
            return [
                ExplorationCall(message),
                ExplorationCall(EndImport(), after: [1], isLast: true),
            ]
        }
    }

    private let path: String
    private let type: String?
    private let question: SpotlightAnswer.Question

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        guard let file = command.payload.file.first else {
            throw CommandError.usage(
                "an import extension needs a file whose attributes it reads", remedy: "Name it with --file")
        }
        self.path = file
        type = options.type
        question = try SpotlightDriver.question(options)
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let spotlight = try SpotlightHost(host, store: nil)
        try await spotlight.serve()
        let ending = ImportEnding(try await spotlight.importFile(at: path, type: type, by: identifier))
        var text = "\(ending.headline): \(printable(identifier))"
        if let pid = ending.report.request?.processIdentifier { text += ", pid \(pid)" }
        text += "\n  type: \(printable(ending.report.type))\n"
        for line in ending.lines { text += "  \(line)\n" }
        var members = ending.members
        var isFound = true
        if let words = question.words {
            let found = try await SpotlightAnswer.search(question, spotlight)
            isFound = !found.items.isEmpty
            text += "\(found.items.count) found for \(printable(words))\n"
            members += found.members
        }
        return PointReport(
            text: text, json: [("extension", .string(identifier))] + members,
            status: ending.result.word == .imported && isFound ? 0 : ExitStatus.notExpected)
    }
}

/// The end of an import, for people, for `--json` and for scenarios.
struct ImportEnding: Sendable {
    let report: SpotlightHost.Import

    init(_ report: SpotlightHost.Import) { self.report = report }

    var headline: String { ["\(result.word.rawValue)", result.why].compactMap(\.self).joined(separator: ", ") }

    /// The attributes, a line each.
    var lines: [String] {
        zip(report.attributes.keys, report.attributes.values).sorted { $0.0 < $1.0 }.map { name, value in
            "\(printable(name)): \(Self.text(value))"
        }
    }

    /// The longest text of an attribute that a line shows, in characters.
    private static let shownLength = 200

    private static func text(_ value: PropertyList) -> String {
        let text =
            switch value {
            case .string(let text): text
            case .array(let parts): parts.map { self.text($0) }.joined(separator: ", ")
            case .data(let bytes): "\(bytes.count) bytes"
            default: json(value).line
            }
        return printable(text.count > shownLength ? text.prefix(shownLength) + "…" : text)
    }

    /// Returns an attribute; data as its number of bytes, and a date in seconds since 1970.
    private static func json(_ value: PropertyList) -> JSON {
        switch value {
        case .string(let text): .string(text)
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(Int(value))
        case .real(let value): .real(value)
        case .date(let seconds): .real(Date(timeIntervalSinceReferenceDate: seconds).timeIntervalSince1970)
        case .data(let bytes): .integer(bytes.count)
        case .array(let values): .array(values.map { json($0) })
        case .dictionary(let entries): .object(zip(entries.keys, entries.values).map { ($0, json($1)) })
        }
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch report.ending {
        case .imported: (.imported, nil)
        case .typeNotSupported: (.refused, "the extension does not list the type \(report.type)")
        case .failed(let failure): (failure.word, "\(failure)")
        }
    }

    var members: [(name: String, value: JSON)] {
        [
            ("outcome", .string(result.word.rawValue)), ("reason", .optional(result.why)),
            ("pid", .optional(report.request?.processIdentifier)), ("type", .string(report.type)),
            ("attributes", Self.json(.dictionary(report.attributes))),
        ]
    }
}

extension CallFailure {
    /// The result in a scenario's word.
    var word: PointResult {
        switch self {
        case .timedOut: .timedOut
        case .interrupted: .ended
        case .thrown: .failed
        case .failed(let error): error.code == .handlerDropped ? .handlerDropped : .failed
        }
    }
}
