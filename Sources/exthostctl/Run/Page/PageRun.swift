// PageRun: the page of a `run`: the extension's script before the request, and after it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionItems
import ExtensionProtocol
import Foundation
import Locks
import PageMessages
import PointHosts

/// The page of one run, and what became of it. Safe to use from any thread.
final class PageRun: Sendable {
    private struct State {
        var page: WebPage?
        var share: WebPageRequest?
        var before = ""
        /// Nil if the page is over.
        var after: String?
    }

    private let html: String
    private let address: URL
    private let engine: PageEngineKind?
    private let settings: WebPageHost.Settings
    /// The place of the page's item among the items.
    private let place: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - options: the options, which name a file.
    ///   - items: the items of the payload.
    ///   - profile: the platform; `finalize` is not called for one of macOS.
    /// - Throws: `CommandError` for a payload without one page, or a file that cannot be read.
    init?(_ options: PageOptions, _ payload: PayloadOptions, _ items: [OfferedItem], profile: String?) throws {
        guard let file = options.html else { return nil }
        guard payload.page.count == 1, let place = items.firstIndex(where: { $0.webPage != nil }),
            let address = URL(string: payload.page[0])
        else {
            throw CommandError.usage(
                "--page-html \(file) needs one page, and there are \(payload.page.count)",
                remedy: "Write its address, as in --page https://example.org/ --page-html \(file)")
        }
        guard payload.pageResults.isEmpty else {
            throw CommandError.usage(
                "--page-results has the place of the script's own results", remedy: "Omit it, or --page-html")
        }
        html = String(decoding: try InputFile(file).data(), as: UTF8.self)
        self.address = address
        self.place = place
        engine = options.engine?.kind
        var settings = WebPageHost.Settings()
        settings.omitsAddress = options.pageOnly
        settings.platform = profile?.hasPrefix("macos") == true ? .macOS : .iOS
        self.settings = settings
    }

    /// Shows the page, runs the script, and begins the request.
    ///
    /// - Throws: errors of `WebPage.open` and `HostApplication.start`.
    func begin(
        _ identifier: String, _ host: HostApplication, items: [OfferedItem], force: Bool, handling: PointHandlers
    ) async throws -> ExtensionRequest {
        let page = try await WebPage.open(html: html, url: address, engine: engine)
        state.withLock { $0.page = page }
        var items = items
        items[place].webPage = nil
        if items[place].item.attributedContentText == nil, let title = page.title {
            items[place].item.attributedContentText = NSAttributedString(string: title)
        }
        let pages = WebPageHost(host, settings: settings)
        let offer = try await pages.offer(page, for: identifier, in: items, at: place)
        let before = try? await page.html
        let request = try host.start(
            identifier, items: offer.items, force: force || offer.isAccepted, handling: handling)
        let share = WebPageRequest(request, page, offer, settings, host)
        state.withLock { ($0.share, $0.before) = (share, before ?? "") }
        return request
    }

    /// Waits for `finalize`, and for the page after it.
    func finish() async {
        guard let share = state.withLock({ $0.share }) else { return }
        _ = await share.ending
        let after = try? await share.page.html
        state.withLock { $0.after = after }
    }

    /// Writes the page to a file.
    ///
    /// - Throws: `CommandError`.
    func save(to path: String) throws {
        guard let after = state.withLock({ $0.after }) else {
            return StandardError.line("exthostctl: the page is over, so \(path) is not written")
        }
        do {
            try Data(after.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw CommandError.missing(
                "\(path) cannot be written: \(error.localizedDescription)", remedy: "Name a file in a folder of yours")
        }
    }

    /// The end of the page's part, for the report.
    var report: PageReport? {
        get async {
            let (share, before, after) = state.withLock { ($0.share, $0.before, $0.after) }
            guard let share else { return nil }
            let ending = await share.ending
            return PageReport(share, ending, before: before, after: after ?? before)
        }
    }
}

/// The report of a page's part.
struct PageReport: Sendable {
    let facts: PageFacts
    let weaknesses: [String]
    let results: WebPageResults?
    let failures: [ScriptFailure]
    let finalized: Int
    let remarks: [String]
    let failedLoads: Int
    let changes: DocumentChanges

    init(_ share: WebPageRequest, _ ending: WebPageRequest.Ending, before: String, after: String) {
        (facts, weaknesses, results) = (share.page.facts, share.page.weaknesses, share.results)
        failures = [share.scriptFailure].compactMap { $0 } + ending.failures
        (finalized, remarks, failedLoads) = (ending.finalized, ending.remarks, share.page.failedLoads)
        changes = DocumentChanges(from: before, to: after)
    }

    var text: String {
        get async {
            var text = "  page in \(facts.engine) (\(printable(facts.version)))"
            text += failedLoads == 0 ? "\n" : ", \(failedLoads) load\(failedLoads == 1 ? "" : "s") failed\n"
            for weakness in weaknesses { text += "    confined less: \(printable(weakness))\n" }
            if let results { text += "    results \(printable(await JSON.value(results.object).line))\n" }
            for failure in failures {
                text += "    \(Colour.red(printable("\(failure)")))\n"
                for line in failure.stack.split(separator: "\n") { text += "      at \(printable(String(line)))\n" }
            }
            for remark in remarks { text += "    remark: \(printable(remark))\n" }
            if finalized > 0 {
                text += "    finalize ran\(finalized > 1 ? " \(finalized) times" : ""), \(changes.summary)\n"
            }
            for line in changes.lines { text += "      \(printable(line))\n" }
            return text
        }
    }

    var json: JSON {
        get async {
            var list: [JSON] = []
            for failure in failures {
                list.append([
                    "reason": .string(failure.reason.rawValue), "message": .string(failure.message),
                    "file": .string(failure.file), "line": .integer(failure.line),
                    "column": .integer(failure.column), "stack": .string(failure.stack),
                ])
            }
            let results: JSON = if let results { await .value(results.object) } else { .null }
            return [
                "engine": .string(facts.engine), "version": .string(facts.version), "results": results,
                "failures": .array(list), "finalized": .integer(finalized), "failedLoads": .integer(failedLoads),
                "remarks": .array(remarks.map(JSON.string)), "weaknesses": .array(weaknesses.map(JSON.string)),
                "changes": .array(changes.lines.map(JSON.string)),
            ]
        }
    }
}
