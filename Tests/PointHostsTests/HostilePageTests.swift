// HostilePageTests: pages and scripts that attack the page host. Each ends with its named error, nothing of the process
// tree is left, and the next run is unaffected.

import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import PageMessages
import PropertyListCoding
import Testing

@testable import PointHosts

@Suite(.enabled(if: pageHostsRun, "exthost-pagehost does not run under a sanitizer"))
struct HostilePageTests {
    private static let good = PageFixture.script("a.completionFunction({n: 1})")

    private func nextRunIsUnaffected(_ engine: PageEngineKind) async throws {
        #expect(try await PageFixture.results(engine, Self.good) == ["n": 1])
    }

    // spec: WP-15
    @Test(
        "WP-15: a loop that never ends is stopped with its process tree, wherever it is", arguments: TestedEngines.all)
    func loopsAreStopped(engine: PageEngineKind) async throws {
        for script in [
            "for (;;) {}", PageFixture.script("for (;;) {}"),
            PageFixture.script("(async function () { for (;;) await 0 })()"),
        ] {
            let failure = try await PageFixture.failure(engine, script, limit: .milliseconds(300))
            #expect(failure.reason == .timedOut && failure.message.hasPrefix("run "), "\(failure)")
        }
        let page = try await PageFixture.open(engine)
        _ = try await page.run(
            PageFixture.script("a.completionFunction({})", finalize: "for (;;) {}"), file: "Action.js")
        let failure = await #expect(throws: ScriptFailure.self) {
            try await page.finalize(WebPageResults(plist: [:]), limit: .milliseconds(300))
        }
        #expect(failure?.reason == .timedOut, "\(String(describing: failure))")
        #expect(page.pid == nil)
        let later = await #expect(throws: ScriptFailure.self) { _ = try await page.html }
        #expect(later?.reason == .timedOut)
        try await nextRunIsUnaffected(engine)
    }

    // spec: WP-14
    @Test("WP-14: deep recursion, getters, proxies and strange errors are exceptions", arguments: TestedEngines.all)
    func exceptionsAreNamed(engine: PageEngineKind) async throws {
        for (body, message) in [
            ("(function f() { f() })()", "RangeError: Maximum call stack size exceeded"),
            ("a.completionFunction({get x() { throw new Error('no') }})", "Error: no"),
            ("a.completionFunction(new Proxy({}, {ownKeys() { throw new Error('trap') }}))", "Error: trap"),
            ("throw 'x'", "x"), ("throw null", "null"), ("throw undefined", "undefined"),
            ("throw {toString() { throw 1 }}", "an error without a text"),
            ("throw new Proxy({}, {getPrototypeOf() { throw 3 }, get() { throw 4 }})", "an error without a text"),
            ("throw '\\ud800'", "?"),
            ("throw '😀' + 'x'.repeat(100000000)", "😀xxxx"),
        ] {
            let failure = try await PageFixture.failure(engine, PageFixture.script(body))
            #expect(failure.reason == .exception && failure.message.hasPrefix(message), "\(body): \(failure.reason)")
            #expect(failure.message.utf8.count <= 8192)
        }
        try await nextRunIsUnaffected(engine)
    }

    // spec: WP-14
    @Test("WP-14: results that are too large, and too much memory, end the run", arguments: TestedEngines.all)
    func sizesAreBounded(engine: PageEngineKind) async throws {
        for body in [
            "a.completionFunction({s: 'x'.repeat(100000000)})",
            "a.completionFunction({s: 'é'.repeat(8500000), t: 'x'.repeat(8500000)})",
            "a.completionFunction({s: new Array(1000000000)})",
            "a.completionFunction({s: new Array(600000).fill(1)})",
        ] {
            let failure = try await PageFixture.failure(engine, PageFixture.script(body))
            #expect(failure.reason == .tooLarge, "\(body): \(failure)")
        }
        let growth = "var all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1));"
        let failure = try await PageFixture.failure(engine, PageFixture.script(growth))
        // Each engine lets a page have more, so the host's bound comes first.
        #expect(failure.reason == .memory, "\(failure)")
        try await nextRunIsUnaffected(engine)
    }

    // spec: WP-14
    @Test(
        "WP-14: a document that is too large is an error with a name, and the page goes on",
        arguments: TestedEngines.all)
    func documentsAreBounded(engine: PageEngineKind) async throws {
        let page = try await PageFixture.open(engine)
        // A comment has no layout, which takes much memory.
        _ = try await page.evaluate("document.body.appendChild(document.createComment('x'.repeat(33 << 20))); ''")
        let failure = await #expect(throws: ScriptFailure.self) { _ = try await page.html }
        #expect(failure?.reason == .tooLarge && failure?.message == "the document has more than 32 MiB")
        if engine == .jsc {
            let value = await #expect(throws: ScriptFailure.self) { try await page.evaluate("'x'.repeat(33 << 20)") }
            #expect(value?.reason == .tooLarge)
        }
        _ = try await page.evaluate("document.body.lastChild.data = 'é'.repeat(1 << 20); ''")
        #expect(try await page.html.utf8.count > 2 << 20)
        try await PageFixture.gone(page)
    }

    // spec: WP-20
    @Test("WP-20: elements with the names of a document's members hide nothing of it", arguments: TestedEngines.all)
    func namesHideNothing(engine: PageEngineKind) async throws {
        let names = ["documentElement", "doctype", "querySelector", "defaultView"].map { "<img name=\($0)>" }.joined()
        let page = try await PageFixture.open(engine, html: "<!DOCTYPE html><p>here</p>\(names)")
        let html = try await page.html
        #expect(html.hasPrefix("<!DOCTYPE html>") && html.contains("<p>here</p>"), "\(html)")
        try await PageFixture.gone(page)
    }

    // spec: WP-1
    @Test("WP-1: a second script of a page has no object of the first", arguments: TestedEngines.all)
    func objectsAreOfOneScript(engine: PageEngineKind) async throws {
        for first in [Self.good, "class ExtensionPreprocessingJS { static run(a) { a.completionFunction({n: 1}) } }"] {
            let page = try await PageFixture.open(engine)
            #expect(try await page.run(first, file: "First.js").plist == ["n": 1])
            let failure = await #expect(throws: ScriptFailure.self) {
                try await page.run("var other = 1", file: "Second.js")
            }
            #expect(failure?.reason == .noObject && failure?.file == "Second.js", "\(String(describing: failure))")
            #expect(try await page.finalize(WebPageResults(plist: [:])) == false)
            try await PageFixture.gone(page)
        }
        let page = try await PageFixture.open(engine)
        for count in 1...2 {
            let script = PageFixture.script("a.completionFunction({n: \(count)})")
            #expect(try await page.run(script, file: "Action.js").plist == ["n": .integer(Int64(count))])
        }
        try await PageFixture.gone(page)
    }

    // spec: WP-10
    @Test("WP-10: redefined prototypes and functions change nothing", arguments: TestedEngines.all)
    func prototypesMayBeRedefined(engine: PageEngineKind) async throws {
        let body = """
            JSON.stringify = function () { return "x" };
            Object.keys = function () { return [] };
            Array.isArray = function () { return true };
            Object.prototype.toString = function () { return "" };
            Object.prototype.extra = 1;
            Object.defineProperty(Object.prototype, "due", {get: function () { return 1 }, set: function () {}});
            Object.defineProperty(Object.prototype, "get", {value: 1, writable: true, configurable: true});
            delete Object.prototype.get;
            Array.prototype.map = Array.prototype.push = Array.prototype.shift = null;
            Function.prototype.call = Function.prototype.apply = Function.prototype.bind = null;
            String = Number = null;
            a.completionFunction({list: [1, "two"], "__proto__x": 1, ["__proto__"]: 5});
            """
        let expected: PropertyListDictionary = ["list": [1, "two"], "__proto__x": 1, "__proto__": 5]
        #expect(try await PageFixture.results(engine, PageFixture.script(body)) == expected)
        try await nextRunIsUnaffected(engine)
    }

    // spec: WP-10
    @Test("WP-10: a page that fakes ExtensionPreprocessingJS has no effect", arguments: TestedEngines.all)
    func pagesCannotFakeTheObject(engine: PageEngineKind) async throws {
        let html = """
            <title>t</title><script>
            var ExtensionPreprocessingJS = {run: function (a) { a.completionFunction({fake: true}) }};
            var exthostPost = function () {}; Object.prototype.run = function () {}; JSON.stringify = null;
            </script><form id="ExtensionPreprocessingJS"></form>
            """
        #expect(try await PageFixture.results(engine, Self.good, html: html) == ["n": 1])
        let failure = try await PageFixture.failure(engine, "var other = 1", html: html)
        // An element's identifier may be a global name.
        #expect([.noObject, .noFunction].contains(failure.reason), "\(failure)")
    }

    // spec: WP-16
    @Test("WP-16: dialogs, navigation, frames and sockets have no effect", arguments: TestedEngines.all)
    func nothingLeavesThePage(engine: PageEngineKind) async throws {
        let body = """
            alert("x"); confirm("x"); prompt("x");
            location.href = "https://other.example/"; location.assign("file:///etc/passwd"); window.open("https://x.example/");
            for (var i = 0; i < 200; i += 1) {
                var frame = document.createElement("iframe");
                frame.src = "https://other.example/" + i;
                document.body.appendChild(frame);
            }
            try { new WebSocket("ws://127.0.0.1:9/"); } catch (error) {}
            a.completionFunction({address: document.URL, frames: document.querySelectorAll("iframe").length});
            """
        let expected: PropertyListDictionary = ["address": .string(PageFixture.address.absoluteString), "frames": 200]
        #expect(try await PageFixture.results(engine, PageFixture.script(body)) == expected)
        try await nextRunIsUnaffected(engine)
    }

    // spec: WP-11
    @Test("WP-11: a script reads nothing of a frame of another origin", arguments: TestedEngines.all)
    func framesAreClosed(engine: PageEngineKind) async throws {
        let html = "<iframe id='f' src='https://other.example/'></iframe>"
        let body = """
            var inner = "closed";
            try { inner = document.getElementById("f").contentWindow.document.body.innerHTML || "closed"; } catch (error) {}
            a.completionFunction({inner: inner});
            """
        #expect(try await PageFixture.results(engine, PageFixture.script(body), html: html) == ["inner": "closed"])
    }

    // spec: WP-16
    @Test("WP-16: a page of many and of deep elements is shown", arguments: TestedEngines.all)
    func largePagesWork(engine: PageEngineKind) async throws {
        let html = String(repeating: "<div class=c><span>text</span></div>", count: 4_000)
        let body = "a.completionFunction({n: document.querySelectorAll('div.c > span').length})"
        #expect(try await PageFixture.results(engine, PageFixture.script(body), html: html) == ["n": 4_000])
        let nested = String(repeating: "<div>", count: 1_000)
        #expect(try await PageFixture.results(engine, Self.good, html: nested) == ["n": 1])
    }

    // spec: WP-13
    @Test("WP-13: messages that a script writes itself have no effect", arguments: TestedEngines.all)
    func messagesMayBeForged(engine: PageEngineKind) async throws {
        let texts = [
            "[", "x", "[\\\"results\\\",x]", "[1,\\\"results\\\",[\\\"o\\\",\\\"k\\\"]]", "[\\\"thrown\\\"]", "",
            "[\\\"results\\\",\\\"\\\\ud800\\\"]",
        ]
        let forging = texts.map { "exthostPost(\"\($0)\");" }.joined()
        let script = PageFixture.script(forging + "a.completionFunction({n: 1})")
        #expect(try await PageFixture.results(engine, script) == ["n": 1])
        try await nextRunIsUnaffected(engine)
    }

    // spec: WP-12
    @Test("WP-12: an exception after the results is not one of the next call", arguments: TestedEngines.all)
    func lateExceptionsCountForNothing(engine: PageEngineKind) async throws {
        let script = """
            var ExtensionPreprocessingJS = {
                run: async function (a) { a.completionFunction({n: 1}); throw new Error("late"); },
                finalize: function () { document.title = "finalized"; }
            };
            """
        let page = try await PageFixture.open(engine)
        #expect(try await page.run(script, file: "Action.js").plist == ["n": 1])
        #expect(try await page.finalize(WebPageResults(plist: [:])))
        #expect(try await page.html.contains("<title>finalized"))
        try await PageFixture.gone(page)
    }

    // spec: WP-16
    @Test("WP-16: a page host has neither files, nor a network, nor processes of others, and no further rights")
    func pageHostsAreConfined() async throws {
        let page = try await PageFixture.open(.jsc)
        let first = try #require(page.pid)
        let program = try #require(PageFixture.descendants(of: first).last).pid
        let status = try String(contentsOfFile: "/proc/\(program)/status", encoding: .utf8)
        func field(_ name: String) -> String? {
            status.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.split(separator: "\t").last.map(
                String.init)
        }
        #expect(field("NoNewPrivs") == "1" && field("Seccomp") == "2" && field("CapEff") == "0000000000000000")
        // The filters of exthost-init and of the engine.
        #expect(field("Seccomp_filters").flatMap { Int($0) } ?? 0 >= 2)
        let (layers, _) = try PageHostPrograms().confinement()
        guard layers.namespaces else {
            #expect(!page.weaknesses.isEmpty)
            return try await PageFixture.gone(page)
        }
        for name in ["net", "pid", "mnt", "ipc"] {
            let (own, its) = try (
                FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/\(name)"),
                FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(program)/ns/\(name)")
            )
            #expect(own != its, "\(name)")
        }
        for path in [#filePath, NSHomeDirectory() + "/.", "/etc/shadow", "/var/lib/.", "/run/."] where path != "//." {
            #expect(!FileManager.default.fileExists(atPath: "/proc/\(program)/root\(path)"), "\(path)")
        }
        #expect(FileManager.default.fileExists(atPath: "/proc/\(program)/root/usr"))
        let sockets = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program)/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(program)/fd/\($0)")
        }.filter { $0.hasPrefix("socket:") }
        #expect(sockets.count == 1, "\(sockets)")
        try await PageFixture.gone(page)
    }

    // spec: WP-15
    @Test("WP-15: the page host ends with the last reference, after a cancellation, and when it is killed")
    func nothingIsLeft() async throws {
        var page: WebPage? = try await PageFixture.open(.jsc)
        let namespace = try #require(page?.pid)
        let first = PageFixture.descendants(of: namespace)
        #expect(first.count >= 2)
        page = nil
        try PageFixture.waitForEnd(of: first)
        let second = try await PageFixture.open(.jsc)
        let pid = try #require(second.pid)
        let idle = PageFixture.ticks(of: pid)
        let task = Task { try await second.run("for (;;) {}", file: "Action.js", limit: .seconds(600)) }
        for _ in 0..<6_000 where PageFixture.ticks(of: pid) < idle + 20 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(PageFixture.ticks(of: pid) >= idle + 20)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await second.close()
        #expect(kill(pid, 0) != 0)
        for signal in [SIGKILL, SIGABRT] {
            let third = try await PageFixture.open(.jsc)
            let root = try #require(third.pid)
            let before = PageFixture.descendants(of: root)
            let program = try #require(before.last)
            _ = kill(program.pid, signal)
            let error = await #expect(throws: (any Error).self) { try await third.evaluate("1") }
            let failure = error as? ScriptFailure
            #expect(failure?.reason == .interrupted, "\(String(describing: error))")
            #expect(failure?.message.contains("by itself (signal \(signal))") == true, "\(String(describing: error))")
            try await PageFixture.gone(third, before)
        }
    }
}
