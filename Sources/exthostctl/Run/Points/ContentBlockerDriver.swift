// ContentBlockerDriver: `run` for a content blocker: its list, or what the list does with a load or a page.

import ContentRules
import ExtensionHost
import ExtensionHostTesting
import Foundation
import PageMessages
import PointHosts

struct ContentBlockerDriver: PointDriver {
    static let point = ContentBlockerHost.point
    static let showsView = false
    static let takesPage = true
    static let takesDocument = true
    /// The request itself is all that there is.
    static let exploredCalls: [ExplorationCall] = []

    /// The number of patterns and remarks that are listed.
    private static let (patterns, remarks) = (5, 20)

    /// The question about the list.
    private enum Question {
        case list
        case load(ContentLoad)
        case page(html: String, url: URL, engine: PageEngineKind?)
    }

    private let question: Question

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        let page = command.payload.page.first
        if let file = command.page.html {
            question = try Self.page(file, page, options, command)
            return
        }
        guard let url = options.load else {
            if let page {
                throw CommandError.usage(
                    "--page \(page) has no load",
                    remedy: "Name the load of the page with --load URL, or the page itself with --page-html FILE")
            }
            if options.frame != nil {
                throw CommandError.usage("--frame has no load", remedy: "Name the load with --load URL")
            }
            question = .list
            return
        }
        question = .load(try Self.load(url, page: page, frame: options.frame, type: options.type))
    }

    private static func page(
        _ file: String, _ page: String?, _ options: PointOptions, _ command: RunCommand
    ) throws -> Question {
        guard let page, let url = URL(string: page) else {
            throw CommandError.usage(
                "--page-html \(file) has no address",
                remedy: "Write it, as in --page https://example.org/ --page-html \(file)")
        }
        let others = [
            ("--load", options.load != nil), ("--frame", options.frame != nil),
            ("--save-page", command.page.save != nil), ("--page-only", command.page.pageOnly),
            ("--profile", command.points.profile != nil),
        ]
        if let option = others.first(where: \.1)?.0 {
            throw CommandError.usage(
                "\(option) does not act beside --page-html at \(point)", remedy: "Omit one of the two options")
        }
        let html = String(decoding: try InputFile(file).data(), as: UTF8.self)
        return .page(html: html, url: url, engine: command.page.engine?.kind)
    }

    /// Makes a load from options.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - page: the page; nil if the load is itself the page.
    ///   - frame: the document of the child frame that loads; nil for the page's own frame.
    ///   - type: the name of the load's type; nil: `document` without a page, else `other`.
    /// - Throws: `CommandError`.
    static func load(_ url: String, page: String?, frame: String?, type: String?) throws -> ContentLoad {
        guard frame == nil || page != nil else {
            throw CommandError.usage("a frame has no page", remedy: "Name the page that the frame is in")
        }
        let name = type ?? (page == nil ? "document" : "other")
        guard let type = ResourceType(name: name, inChildFrame: frame != nil) else {
            throw CommandError.usage(
                "there is no type of loads \(name)",
                remedy: "The types are \(ResourceType.names.joined(separator: ", "))")
        }
        do {
            return try ContentLoad(url: url, page: page, frame: frame, type: type)
        } catch {
            throw CommandError.usage("\(error)", remedy: "Write a whole URL, as https://example.org/ad.js")
        }
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let blocker = ContentBlockerHost(host)
        let name: [(name: String, value: JSON)] = [("extension", .string(identifier))]
        switch question {
        case .load(let load):
            let ending = try await BlockerLoad(load, blocker, identifier)
            let status = if case .decided = ending { Int32(0) } else { ExitStatus.notExpected }
            return PointReport(text: ending.text, json: name + ending.members, status: status)
        case .list, .page: break
        }
        let list: RuleList
        do {
            list = try await blocker.reload(identifier)
        } catch let error as NSError
            where [ContentBlockerError.domain, ContentBlockerError.compilerDomain].contains(error.domain)
        {
            return PointReport(
                text: BlockerLoad.text(of: error), json: name + BlockerLoad.members(of: error),
                status: ExitStatus.notExpected)
        }
        guard case .page(let html, let url, let engine) = question else { return report(list, identifier) }
        let words: String
        do {
            let page = try await BlockerPage(html: html, url: url, engine: engine, list: list)
            return PointReport(text: page.text, json: name + page.members, status: 0)
        } catch let error as ScriptFailure {
            words = "\(error)"
        } catch let error as Decision.TooManySteps {
            words = "undecided: \(error)"
        } catch let error as LoadURL.Fault {
            throw CommandError.usage("\(error)", remedy: "Write a whole URL, as https://example.org/")
        }
        return PointReport(
            text: printable(words) + "\n", json: name + [("error", .string(words))], status: ExitStatus.notExpected)
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
