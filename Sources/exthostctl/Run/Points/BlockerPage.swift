// BlockerPage: the effects of a content blocker on a page and its own loads, for `run`.

import ContentRules
import ExtensionHostTesting
import Foundation
import PageMessages
import PointHosts

/// A page in an engine, and the decisions of a content blocker about it.
struct BlockerPage: Sendable {
    /// A rule whose selector is in force on the page.
    struct Hiding: Sendable {
        let rule: Int
        let selector: String
        /// The number of elements that it hides.
        let count: Int
        /// The tags of the first elements.
        let elements: [String]
    }

    private struct Load: Sendable {
        let load: ContentLoad
        let decision: Decision
    }

    /// The most loads that are decided about, and the most elements of a selector that are shown.
    private static let (mostLoads, mostElements) = (2000, 10)

    private let url: URL
    private let facts: PageFacts
    private let weaknesses: [String]
    private let document: Decision
    private let loads: [Load]
    private let hidden: [Hiding]
    private let remarks: [String]

    /// Shows a page, and decides about its document and about the loads that its elements ask for.
    ///
    /// - Parameters:
    ///   - html: the page.
    ///   - url: the address of the page.
    ///   - engine: the engine; nil: the first that works.
    ///   - list: the list of the blocker.
    /// - Throws: errors of `WebPage.open`, `ScriptFailure`, `LoadURL.Fault`, `Decision.TooManySteps`.
    init(html: String, url: URL, engine: PageEngineKind?, list: RuleList) async throws {
        let page = try await WebPage.open(html: html, url: url, engine: engine)
        (self.url, facts, weaknesses) = (url, page.facts, page.weaknesses)
        let address = url.absoluteString
        document = try list.decision(for: ContentLoad(url: address))
        var (loads, remarks, selectors) = ([Load](), [String](), document.hidden)
        // Nothing of a page is loaded that is blocked itself.
        let found = document.blocked == nil ? try await Self.found(in: page) : []
        for (type, text) in found.prefix(Self.mostLoads) {
            let load: ContentLoad
            do throws(LoadURL.Fault) {
                load = try ContentLoad(
                    url: text, page: address, frame: type == .childDocument ? text : nil, type: type)
            } catch {
                remarks.append("a load is left out: \(error)")
                continue
            }
            let decision = try list.decision(for: load)
            loads.append(Load(load: load, decision: decision))
            selectors += decision.hidden
        }
        if found.count > Self.mostLoads { remarks.append("loads after the first \(Self.mostLoads) are left out") }
        (self.loads, hidden) = (loads, try await Self.hidden(Set(selectors), in: page, &remarks))
        self.remarks = remarks
        await page.close()
    }

    /// Returns the loads of the page's elements, each once.
    private static func found(in page: WebPage) async throws -> [(ResourceType, String)] {
        let script = """
            JSON.stringify([
                ["image", "img[src], input[type=image][src]", "src"], ["script", "script[src]", "src"],
                ["style-sheet", "link[rel~=stylesheet][href]", "href"],
                ["child-document", "iframe[src], frame[src]", "src"],
                ["media", "video[src], audio[src], source[src], track[src]", "src"],
                ["other", "embed[src]", "src"], ["other", "object[data]", "data"]
            ].map(function (kind) {
                return Array.from(document.querySelectorAll(kind[1])).map(function (element) {
                    try { return [kind[0], new URL(element.getAttribute(kind[2]), document.baseURI).href]; }
                    catch (error) { return null; }
                });
            }))
            """
        var seen: Set<String> = []
        var found: [(ResourceType, String)] = []
        for case let pair as [String] in (try await array(script, page)).compactMap({ $0 as? [Any] }).joined() {
            guard pair.count == 2, let type = ResourceType(rawValue: pair[0]), pair[1].hasPrefix("http"),
                seen.insert(pair[0] + pair[1]).inserted
            else { continue }
            found.append((type, pair[1]))
        }
        return found
    }

    /// Returns the selectors with their elements, in the order of the rules.
    private static func hidden(
        _ selectors: Set<Decision.Hiding>, in page: WebPage, _ remarks: inout [String]
    ) async throws -> [Hiding] {
        let sorted = selectors.sorted { $0.rule < $1.rule }
        let list = sorted.map { PageValueText.quoted($0.selector) }.joined(separator: ",\n")
        let script = """
            JSON.stringify([\(list)].map(function (selector) {
                try {
                    var all = Array.from(document.querySelectorAll(selector));
                    return [all.length].concat(all.slice(0, \(mostElements)).map(function (element) {
                        return element.cloneNode(false).outerHTML.slice(0, 200);
                    }));
                } catch (error) {
                    return [String(error)];
                }
            }))
            """
        let answers = try await array(script, page)
        return zip(sorted, answers).compactMap { hiding, answer in
            guard var parts = answer as? [Any], !parts.isEmpty else { return nil }
            let first = parts.removeFirst()
            guard let count = first as? Int else {
                remarks.append("the engine \(page.facts.engine) does not take the selector of rule \(hiding.rule)")
                return nil
            }
            return Hiding(
                rule: hiding.rule, selector: hiding.selector, count: count, elements: parts.compactMap { $0 as? String }
            )
        }
    }

    /// Evaluates a script whose value is an array in JSON. The page may have changed the functions that it calls.
    private static func array(_ script: String, _ page: WebPage) async throws -> [Any] {
        let text = try await page.evaluate(script) ?? ""
        return (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [Any] ?? []
    }

    /// The lines for people.
    var text: String {
        if let rule = document.blocked { return "blocked by rule \(rule): \(url.absoluteString)\n" }
        let blocked = loads.count { $0.decision.blocked != nil }
        let effective = hidden.filter { $0.count > 0 }
        let elements = effective.reduce(0) { $0 + $1.count }
        var lines = [
            "page in \(facts.engine) (\(facts.version)): \(blocked) of \(loads.count) loads blocked, elements hidden: \(elements)"
        ]
        for weakness in weaknesses { lines.append("  confined less: \(weakness)") }
        for load in loads {
            let name = "\(load.load.type.rawValue) \(load.load.url)"
            if let rule = load.decision.blocked { lines.append("  blocked by rule \(rule): \(name)") }
            if let upgraded = load.decision.upgraded, load.decision.blocked == nil {
                lines.append("  made secure by rule \(upgraded.rule): \(name)")
            }
            if let rule = load.decision.blockedCookies { lines.append("  cookies blocked by rule \(rule): \(name)") }
        }
        for hiding in effective {
            lines.append("  hidden by rule \(hiding.rule): \(hiding.selector): \(hiding.count)")
            lines += hiding.elements.map { "    \($0)" }
        }
        let idle = hidden.count - effective.count
        if idle > 0 { lines.append("  selectors without an element: \(idle)") }
        for remark in remarks { lines.append("remark: \(remark)") }
        return lines.map { printable($0) + "\n" }.joined()
    }

    /// The members of the JSON document.
    var members: [(name: String, value: JSON)] {
        let loads = loads.map { load -> JSON in
            [
                "url": .string(load.load.url.description), "type": .string(load.load.type.rawValue),
                "blocked": .boolean(load.decision.blocked != nil), "rule": .optional(load.decision.blocked),
                "cookiesRule": .optional(load.decision.blockedCookies),
                "upgradeRule": .optional(load.decision.upgraded?.rule),
                "upgraded": .optional(load.decision.upgraded?.url),
            ]
        }
        let hidden = hidden.map { hiding -> JSON in
            [
                "rule": .integer(hiding.rule), "selector": .string(hiding.selector), "count": .integer(hiding.count),
                "elements": .array(hiding.elements.map(JSON.string)),
            ]
        }
        return [
            ("page", .string(url.absoluteString)), ("engine", .string(facts.engine)),
            ("version", .string(facts.version)), ("blocked", .boolean(document.blocked != nil)),
            ("rule", .optional(document.blocked)), ("loads", .array(loads)), ("hidden", .array(hidden)),
            ("remarks", .array(remarks.map(JSON.string))), ("weaknesses", .array(weaknesses.map(JSON.string))),
        ]
    }
}
