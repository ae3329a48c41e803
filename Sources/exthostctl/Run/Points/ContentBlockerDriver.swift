// ContentBlockerDriver: `run` for a content blocker: its list, or what the list does with a load.

import ContentRules
import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts

struct ContentBlockerDriver: PointDriver {
    static let point = ContentBlockerHost.point
    static let showsView = false
    static let takesPage = true
    /// The request itself is all that there is.
    static let exploredCalls: [ExplorationCall] = []

    /// The number of patterns and remarks that are listed.
    private static let (patterns, remarks) = (5, 20)

    private let load: ContentLoad?

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        guard let url = options.load else {
            if let page = command.payload.page.first {
                throw CommandError.usage(
                    "--page \(page) has no load", remedy: "Name the load of the page with --load URL")
            }
            load = nil
            return
        }
        load = try Self.load(url, page: command.payload.page.first, type: options.type)
    }

    /// Makes a load from options.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - page: the page; nil if the load is itself the page.
    ///   - type: the name of the load's type; nil: `document` without a page, else `other`.
    static func load(_ url: String, page: String?, type: String?) throws -> ContentLoad {
        let name = type ?? (page == nil ? "document" : "other")
        guard let type = ResourceType(name: name) else {
            throw CommandError.usage(
                "there is no type of loads \(name)",
                remedy: "The types are \(ResourceType.names.joined(separator: ", "))")
        }
        do {
            return try ContentLoad(url: url, page: page, type: type)
        } catch {
            throw CommandError.usage("\(error)", remedy: "Write a whole URL, as https://example.org/ad.js")
        }
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let blocker = ContentBlockerHost(host)
        let name: [(name: String, value: JSON)] = [("extension", .string(identifier))]
        guard let load else {
            do {
                return report(try await blocker.reload(identifier), identifier)
            } catch let error as NSError
                where [ContentBlockerError.domain, ContentBlockerError.compilerDomain].contains(error.domain)
            {
                return PointReport(
                    text: BlockerLoad.text(of: error), json: name + BlockerLoad.members(of: error),
                    status: ExitStatus.notExpected)
            }
        }
        let ending = try await BlockerLoad(load, blocker, identifier)
        let status = if case .decided = ending { Int32(0) } else { ExitStatus.notExpected }
        return PointReport(text: ending.text, json: name + ending.members, status: status)
    }

    private func report(_ list: RuleList, _ identifier: String) -> PointReport {
        let sizes = list.statistics
        let slowest = list.slowestPatterns(Self.patterns)
        var text = "rules of \(printable(identifier)): \(sizes.rules)\n"
        let actions = RuleAction.allCases.compactMap { action in
            sizes.actions[action].map { (name: action.rawValue, count: $0) }
        }
        for action in actions { text += "  \(action.name): \(action.count)\n" }
        if sizes.skipped > 0 { text += "  skipped, because their selectors are invalid: \(sizes.skipped)\n" }
        if !slowest.isEmpty { text += "slowest of \(sizes.patterns) patterns:\n" }
        for cost in slowest {
            let when = cost.window.map { "tried for URLs with a text of its \($0) characters" } ?? "tried for each URL"
            text += "  rule \(cost.rule), \(when), \(cost.steps) steps a character: \(printable(cost.pattern))\n"
        }
        for remark in list.remarks.prefix(Self.remarks) {
            text += "remark: rule \(remark.rule): \(printable(remark.text))\n"
        }
        if list.remarks.count > Self.remarks { text += "more remarks: \(list.remarks.count - Self.remarks)\n" }
        let json: [(name: String, value: JSON)] = [
            ("extension", .string(identifier)), ("rules", .integer(sizes.rules)), ("skipped", .integer(sizes.skipped)),
            ("actions", .object(actions.map { ($0.name, .integer($0.count)) })),
            ("patterns", .integer(sizes.patterns)), ("bytes", .integer(sizes.bytes)), ("faults", .array([])),
            (
                "slowest",
                .array(
                    slowest.map { cost in
                        [
                            "rule": .integer(cost.rule), "pattern": .string(cost.pattern),
                            "steps": .integer(cost.steps), "window": .optional(cost.window),
                        ]
                    })
            ),
            (
                "remarks",
                .array(list.remarks.map { ["rule": .integer($0.rule), "text": .string($0.text)] })
            ),
        ]
        return PointReport(text: text, json: json, status: 0)
    }
}
