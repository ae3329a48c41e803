// SpotlightDriver: `run` for a Spotlight index extension: what it indexes, and what a search then finds.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import SpotlightStore

struct SpotlightDriver: PointDriver {
    static let point = SpotlightHost.point
    static let showsView = false

    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(ReindexAllItems()), ExplorationCall(ReindexItems(["explored"])),
        ExplorationCall(IndexEnd(), after: [1, 2], isLast: true),
    ]

    /// The items of the list.
    private static let listed = 20

    private let identifiers: [String]
    private let question: SpotlightAnswer.Question

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        identifiers = options.items
        question = try Self.question(options)
    }

    /// Returns the search that the options name.
    ///
    /// - Throws: `CommandError` for two searches, and for a query that cannot be read.
    static func question(_ options: PointOptions) throws -> SpotlightAnswer.Question {
        switch (options.search, options.query) {
        case (nil, nil): return .all
        case (let words?, nil): return .words(words)
        case (nil, let query?):
            // A fault in the query is told before the extension has worked for it.
            do { _ = try SearchQuery(query) } catch {
                throw CommandError.usage(
                    "the query cannot be read: \(error)", remedy: #"Write it as 'title == "fo*"cd && rating >= 3'"#)
            }
            return .query(query)
        default:
            throw CommandError.usage("--search and --query are two searches", remedy: "Omit one of the two options")
        }
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let spotlight = try SpotlightHost(host, store: nil)
        try await spotlight.serve()
        let report =
            identifiers.isEmpty
            ? try await spotlight.reindexAll(identifier) : try await spotlight.reindex(identifiers, of: identifier)
        let indexing = SpotlightAnswer.indexed(report)
        let found = try await SpotlightAnswer.search(question, spotlight)
        let items = found.items.prefix(Self.listed)
        var table = Table(
            .init(heading: "IDENTIFIER"), .init(heading: "DOMAIN"), .init(heading: "TITLE"),
            .init(heading: "DESCRIPTION"))
        for item in items {
            table.add(
                item.identifier, item.domain ?? "", item.text("title") ?? item.text("displayName") ?? "",
                item.text("contentDescription") ?? "")
        }
        var text = "\(indexing.words): \(printable(identifier))\n"
        text += "  added \(report.effect.added), replaced \(report.effect.replaced), deleted \(report.effect.deleted)\n"
        if let words = question.words { text += "\(found.items.count) found for \(printable(words))\n" }
        text += table.text(emptyNote: question.words == nil ? "no items in the index" : "no items found")
        if found.items.count > items.count { text += "and \(found.items.count - items.count) more\n" }
        let isAcknowledged = report.ending == .acknowledged
        return PointReport(
            text: text, json: [("extension", .string(identifier))] + indexing.members + found.members,
            status: isAcknowledged && !(found.items.isEmpty && question.words != nil) ? 0 : ExitStatus.notExpected)
    }
}

/// The result of a step at the index, for people, for `--json` and for scenarios.
enum SpotlightAnswer: Sendable {
    case indexed(SpotlightHost.Report)
    case found([FoundItem])

    enum Question: Sendable, Hashable {
        case all
        case words(String)
        case query(String)

        /// The words or the query.
        var words: String? {
            switch self {
            case .all: nil
            case .words(let text), .query(let text): text
            }
        }
    }

    static func search(_ question: Question, _ spotlight: SpotlightHost) async throws -> SpotlightAnswer {
        switch question {
        case .all: .found(try await spotlight.items)
        case .words(let words): .found(try await spotlight.search(words, count: 10_000))
        case .query(let query): .found(try await spotlight.query(query, count: 10_000))
        }
    }

    var items: [FoundItem] { if case .found(let items) = self { items } else { [] } }

    /// The members of the JSON document.
    var members: [(name: String, value: JSON)] {
        switch self {
        case .indexed(let report):
            let pid: Int? =
                switch report.asked {
                case .extension(let pid): pid
                case .app(let pid): pid
                }
            return [
                ("outcome", .string(report.ending.name)), ("pid", .optional(pid)),
                ("added", .integer(report.effect.added)), ("replaced", .integer(report.effect.replaced)),
                ("deleted", .integer(report.effect.deleted)),
            ]
        case .found(let items):
            return [
                ("count", .integer(items.count)),
                (
                    "items",
                    .array(
                        items.map { item in
                            [
                                "uniqueIdentifier": .string(item.identifier),
                                "domainIdentifier": .optional(item.domain),
                                "title": .optional(item.text("title")),
                                "displayName": .optional(item.text("displayName")),
                                "contentDescription": .optional(item.text("contentDescription")),
                            ]
                        })
                ),
            ]
        }
    }

    /// The result in words.
    var words: String {
        switch self {
        case .found(let items): "\(items.count) found"
        case .indexed(let report):
            switch report.ending {
            case .acknowledged: "indexed"
            case .timedOut: "not indexed, for five minutes without a change of the index"
            case .interrupted(let cause): "not indexed, the request ended (\(cause?.rawValue ?? "no cause"))"
            case .failed(let error): "not indexed, \(error)"
            }
        }
    }
}

extension SpotlightHost.Report.Ending {
    /// The word in JSON.
    var name: String {
        switch self {
        case .acknowledged: "indexed"
        case .timedOut: "timedOut"
        case .interrupted: "ended"
        case .failed(let error): error.code == .handlerDropped ? "handlerDropped" : "failed"
        }
    }
}

extension FoundItem {
    /// Returns an attribute that is a text.
    fileprivate func text(_ name: String) -> String? { attributes[name]?.string }
}
