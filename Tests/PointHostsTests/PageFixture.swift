// PageFixture: pages and scripts for the tests of the page host.

import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import PageMessages
import PropertyListCoding
import Testing

@testable import PointHosts

/// The engines of this machine. The tests run on each, and fail if there is none.
enum TestedEngines {
    static let all: [PageEngineKind] = {
        // Without its packages an engine has no process. jsc is tested in any case: Scripts/packages installs it.
        let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"]
        let hasWPE = folders.contains { access("\($0)/libWPEWebKit-1.1.so.0", R_OK) == 0 }
        let hasChromium = access("/usr/bin/chromium-headless-shell", X_OK) == 0
        let present = [PageEngineKind.wpe: hasWPE, .chromium: hasChromium, .jsc: true]
        return PageEngineKind.allCases.filter { present[$0] == true }
    }()
}

/// A sanitizer needs memory and system calls that the confinement refuses.
let pageHostsRun = getenv("EXTHOST_SANITIZER") == nil

enum PageFixture {
    static let address = URL(string: "https://news.example/a/b.html?c=d")!
    static let html = """
        <!DOCTYPE html><html><head><base href="/base/"><title>News &amp; more</title></head>
        <body><h1 id="head">Hello</h1><p data-read-time="3">One <b>two</b></p></body></html>
        """

    /// Opens a page.
    static func open(
        _ engine: PageEngineKind, html: String = html, url: URL = address
    ) async throws -> WebPage {
        try await WebPage.open(html: html, url: url, engine: engine, limit: .seconds(120))
    }

    /// Returns a script whose `run` has the given body; `a` is its argument.
    static func script(_ body: String, finalize: String? = nil) -> String {
        let finalize = finalize.map { ", finalize: function (a) { \($0) }" } ?? ""
        return "var ExtensionPreprocessingJS = { run: function (a) { \(body) }\(finalize) };"
    }

    /// Runs a script in a page of its own, and returns the results. Nothing of the page host is left.
    static func results(
        _ engine: PageEngineKind, _ script: String, html: String = html, limit: Duration = .seconds(20)
    ) async throws -> PropertyListDictionary {
        let page = try await open(engine, html: html)
        // A page that is killed during the run has no pid afterwards.
        let processes = descendants(of: try #require(page.pid))
        do {
            let results = try await page.run(script, file: "Action.js", limit: limit)
            try await gone(page, processes)
            return try #require(results.plist.dictionary)
        } catch {
            try await gone(page, processes)
            throw error
        }
    }

    /// Returns the failure of a script. Nothing of the page host is left.
    static func failure(
        _ engine: PageEngineKind, _ script: String, html: String = html, limit: Duration = .seconds(20)
    ) async throws -> ScriptFailure {
        do {
            let results = try await results(engine, script, html: html, limit: limit)
            Issue.record("the script passed \(results)")
            return ScriptFailure(.interrupted, "")
        } catch let failure as ScriptFailure {
            return failure
        }
    }

    /// Closes a page, and checks that no process of it is left.
    ///
    /// - Parameter earlier: processes that the page had before.
    static func gone(_ page: WebPage, _ earlier: [Process] = []) async throws {
        let processes = earlier + (page.pid.map { descendants(of: $0) } ?? [])
        #expect(!processes.isEmpty, "the page has no processes to look for")
        await page.close()
        for process in Set(processes) { #expect(!isSame(process), "process \(process.pid) is left") }
    }

    struct Process: Sendable, Hashable {
        let pid: Int32
        let start: String
    }

    static func descendants(of pid: Int32) -> [Process] {
        var found: [Process] = []
        var waiting = [pid]
        while let pid = waiting.popLast() {
            if let process = process(pid) { found.append(process) }
            for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? [] {
                let text = (try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/children", encoding: .utf8)) ?? ""
                waiting += text.split(separator: " ").compactMap { Int32($0) }
            }
        }
        return found
    }

    /// The processor time that a process and its descendants have taken in user mode, in the kernel's ticks.
    static func ticks(of pid: Int32) -> Int {
        descendants(of: pid).reduce(0) { sum, process in
            guard let text = try? String(contentsOfFile: "/proc/\(process.pid)/stat", encoding: .utf8),
                let end = text.lastIndex(of: ")")
            else { return sum }
            return sum + (Int(text[end...].split(separator: " ")[12]) ?? 0)
        }
    }

    /// Waits for the end of processes, at most 30 s each.
    static func waitForEnd(of processes: [Process]) throws {
        for process in processes where isSame(process) {
            guard let descriptor = try? ProcessDescriptor.open(process.pid), isSame(process) else { continue }
            var entry = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 30_000) == 1, "process \(process.pid) is left")
        }
    }

    private static func process(_ pid: Int32) -> Process? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        return Process(pid: pid, start: String(text[end...].split(separator: " ")[20]))
    }

    private static func isSame(_ process: Process) -> Bool { Self.process(process.pid) == process }
}
