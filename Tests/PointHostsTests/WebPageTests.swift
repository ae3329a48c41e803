// WebPageTests: the scripts of extensions in pages, in real processes of exthost-pagehost.

import ExtensionProtocol
import Foundation
import PageMessages
import PropertyListCoding
import Testing

@testable import PointHosts

@Suite(.enabled(if: pageHostsRun, "exthost-pagehost does not run under a sanitizer"))
struct WebPageTests {
    // spec: WP-19
    @Test("WP-19: an engine is here, auto takes the first that works, and says which")
    func anEngineIsHere() async throws {
        let page = try await WebPage.open(html: PageFixture.html, url: PageFixture.address)
        let first = try #require(TestedEngines.all.first)
        #expect(page.facts.engine == first.rawValue)
        #expect(page.title == "News & more")
        let found = try await PageEngineSearch(programs: try PageHostPrograms()).all()
        #expect(found.map(\.kind) == PageEngineKind.allCases)
        for engine in found where engine.facts == nil {
            #expect(engine.error?.code == .helperMissing, "\(engine)")
            #expect(engine.error?.remedy?.hasPrefix("apt install ") == true, "\(engine)")
        }
        try await PageFixture.gone(page)
    }

    // spec: WP-17
    @Test("WP-17: lists of nodes are iterated, and those of selectors stay as they are", arguments: TestedEngines.all)
    func listsOfNodes(engine: PageEngineKind) async throws {
        let body = """
            var lists = ["p", ".k", "div > p", "#none"].map(selector => document.querySelectorAll(selector)), texts = [];
            document.body.appendChild(document.createElement("p"));
            lists.forEach(list => list.forEach((part, place) => texts.push(place + part.textContent)));
            for (const list of [
                lists[0], document.getElementsByTagName("p"), document.getElementsByClassName("k"), document.forms,
                document.body.children, document.body.childNodes,
            ]) texts.push([...list].length + " " + list.length);
            for (const name of document.body.classList) texts.push(name);
            document.body.classList.forEach(name => texts.push(name));
            a.completionFunction({texts: texts});
            """
        let html = "<body class=\"x y\"><div><p class=\"k\">a</p><p>b</p></div><form></form></body>"
        let results = try await PageFixture.results(engine, PageFixture.script(body), html: html)
        let texts: PropertyList = [
            "0a", "1b", "0a", "0a", "1b", "2 2", "3 3", "1 1", "1 1", "3 3", "3 3", "x", "y", "x", "y",
        ]
        #expect(results == ["texts": texts])
    }

    // spec: WP-17
    @Test("WP-17: a page has the fonts that the system names for each kind", arguments: TestedEngines.all)
    func fontsAreTheSystems(engine: PageEngineKind) async throws {
        let page = try await PageFixture.open(
            engine, html: "<code id=\"i\">iiii</code><br><code id=\"w\">WWWW</code>")
        if page.facts.layout {
            let widths = try await page.evaluate(
                "['i', 'w'].map(id => document.getElementById(id).getBoundingClientRect().width).join(' ')")
            let parts = try #require(widths).split(separator: " ")
            #expect(parts.count == 2 && parts[0] == parts[1], "\(parts)")
        }
        try await PageFixture.gone(page)
    }

    // spec: WP-19
    @Test("WP-19: without exthost-pagehost the error names the places")
    func aMissingProgramIsNamed() async throws {
        let error = await #expect(throws: ExtensionHostError.self) {
            try await WebPage.open(html: "", url: PageFixture.address, program: "/nowhere/exthost-pagehost")
        }
        #expect(error?.code == .launchFailed || error?.code == .helperMissing, "\(String(describing: error))")
    }

    // spec: WP-2, WP-5, WP-6, WP-9
    @Test(
        "WP-2, WP-5, WP-6, WP-9: run gets the base of the page, and finalize changes the page",
        arguments: TestedEngines.all)
    func runAndFinalize(engine: PageEngineKind) async throws {
        let script = """
            var Page = function () {};
            Page.prototype = {
                run: function (parameters) {
                    parameters.completionFunction({"base": document.baseURI, "title": document.title});
                },
                finalize: function (parameters) { document.body.style.backgroundColor = parameters["colour"]; }
            };
            var ExtensionPreprocessingJS = new Page;
            """
        let page = try await PageFixture.open(engine)
        let results = try await page.run(script, file: "Page.js")
        #expect(results.plist == ["base": "https://news.example/base/", "title": "News & more"])
        #expect(try await page.html.contains("background-color: red") == false)
        let arguments = try #require(WebPageResults(["colour": "red"]))
        #expect(try await page.finalize(arguments))
        #expect(try await page.html.contains("<body style=\"background-color: red;\">"))
        #expect(try await page.evaluate("document.body.style.backgroundColor") == "red")
        try await PageFixture.gone(page)
    }

    // spec: WP-1, WP-14
    @Test(
        "WP-1, WP-14: a script without the object, without run, or that throws names the reason, the file and the place",
        arguments: TestedEngines.all)
    func failuresAreNamed(engine: PageEngineKind) async throws {
        let none = try await PageFixture.failure(engine, "var other = 1")
        #expect(none.reason == .noObject && none.file == "Action.js", "\(none)")
        #expect(none.message == "Action.js defines no global object named ExtensionPreprocessingJS")
        let run = try await PageFixture.failure(engine, "var ExtensionPreprocessingJS = {}")
        #expect(run.reason == .noFunction && run.message.hasSuffix("no function named run"), "\(run)")
        let thrown = try await PageFixture.failure(
            engine, "var ExtensionPreprocessingJS = {\n  run: function (a) {\n    missing.thing;\n  }\n};")
        #expect(thrown.reason == .exception && thrown.file.hasSuffix("Action.js") && thrown.line == 3, "\(thrown)")
        #expect(thrown.message.hasPrefix("ReferenceError: ") && thrown.column > 0, "\(thrown)")
        #expect(!thrown.stack.isEmpty && !thrown.stack.contains("exthost"), "\(thrown.stack)")
        // V8's stack begins with the message.
        #expect(thrown.stack.split(separator: "\n").count <= (engine == .chromium ? 2 : 1), "\(thrown.stack)")
        let loading = try await PageFixture.failure(engine, "\nnull.x")
        #expect(loading.reason == .exception && loading.line == 2, "\(loading)")
        let syntax = try await PageFixture.failure(engine, "var x = ;")
        #expect(syntax.reason == .exception && syntax.message.hasPrefix("SyntaxError: "), "\(syntax)")
    }

    // spec: WP-1
    @Test("WP-1: const and class make the object, too", arguments: TestedEngines.all)
    func everyFormOfTheObject(engine: PageEngineKind) async throws {
        let constant = "const ExtensionPreprocessingJS = { run(a) { a.completionFunction({n: 1}) } }"
        #expect(try await PageFixture.results(engine, constant) == ["n": 1])
        let type = "class ExtensionPreprocessingJS { static run(a) { a.completionFunction({n: 2}) } }"
        #expect(try await PageFixture.results(engine, type) == ["n": 2])
    }

    // spec: WP-13
    @Test("WP-13: the results become a property list", arguments: TestedEngines.all)
    func resultsBecomePropertyLists(engine: PageEngineKind) async throws {
        let body = """
            a.completionFunction({
                text: "é😀\\u0000", yes: true, no: false, whole: -3, most: 9007199254740992, real: 1.5, large: 1e300,
                date: new Date(1000), list: [1, [], {}], nothing: null, missing: undefined, code: function () {},
                none: Object.create(null), "": "empty"
            });
            """
        let expected: PropertyListDictionary = [
            "text": .string("é😀\u{0}"), "yes": true, "no": false, "whole": -3, "most": 9_007_199_254_740_992,
            "real": 1.5, "large": 1e300, "date": .date(1 - 978_307_200), "list": [1, [], [:]], "none": [:],
            "": "empty",
        ]
        #expect(try await PageFixture.results(engine, PageFixture.script(body)) == expected)
    }

    static let unsuitable = [
        ("a.completionFunction({a: [{b: NaN}]})", "results.a[0].b is NaN, which no property list has"),
        ("a.completionFunction({a: Infinity})", "results.a is Infinity, which no property list has"),
        ("var o = {}; o.x = {o: o}; a.completionFunction(o)", "results.x.o contains itself: it is results again"),
        (
            "a.completionFunction({e: document.body})",
            "results.e is neither a plain object nor an array, a text, a number, a boolean or a date"
        ),
        (
            "a.completionFunction({e: new Map})",
            "results.e is neither a plain object nor an array, a text, a number, a boolean or a date"
        ),
        ("a.completionFunction({e: Symbol('x')})", "results.e is a symbol, which no property list has"),
        ("a.completionFunction({e: 'x\\ud800'})", "results.e is a text with half of a surrogate pair"),
        ("a.completionFunction({'\\udc00': 1})", "a key of results is a text with half of a surrogate pair"),
        ("a.completionFunction({d: new Date(NaN)})", "results.d is a date without a time"),
        ("a.completionFunction([1])", "the results are no object with keys and values, but an array"),
        ("a.completionFunction()", "the results are no object with keys and values, but undefined"),
        ("a.completionFunction(null)", "the results are no object with keys and values, but null"),
    ]

    // spec: WP-13
    @Test("WP-13: other values are refused, with the path to them", arguments: TestedEngines.all)
    func othersAreRefused(engine: PageEngineKind) async throws {
        let page = try await PageFixture.open(engine)
        for (body, message) in Self.unsuitable {
            let failure = await #expect(throws: ScriptFailure.self) {
                try await page.run(PageFixture.script(body), file: "Action.js")
            }
            #expect(failure?.reason == .unsuitableResults && failure?.message == message, "\(body)")
        }
        let deep = "var o = {}, p = o; for (var i = 0; i < 40; i += 1) p = p.a = {}; a.completionFunction(o)"
        let failure = await #expect(throws: ScriptFailure.self) {
            try await page.run(PageFixture.script(deep), file: "Action.js")
        }
        #expect(failure?.message.hasSuffix(".a.a.a is deeper than 32 levels") == true)
        try await PageFixture.gone(page)
    }

    // spec: WP-12
    @Test("WP-12: completionFunction may be called later, and counts once", arguments: TestedEngines.all)
    func completionMayBeLate(engine: PageEngineKind) async throws {
        for body in [
            "setTimeout(function () { a.completionFunction({n: 1}) }, 50)",
            "Promise.resolve().then(function () { a.completionFunction({n: 1}) })",
            "a.completionFunction({n: 1}); a.completionFunction({n: 2})",
            "a.completionFunction({n: 1}); throw new Error('late')",
            "var i = 0, t = setInterval(function () { if (++i > 3) { clearInterval(t); a.completionFunction({n: 1}) } }, 1)",
        ] {
            #expect(try await PageFixture.results(engine, PageFixture.script(body)) == ["n": 1], "\(body)")
        }
    }

    // spec: WP-12
    @Test("WP-12: a run that never calls completionFunction has failed at the limit", arguments: TestedEngines.all)
    func completionMayNotBeMissing(engine: PageEngineKind) async throws {
        for body in ["", "setInterval(function () {}, 1)", "new Promise(function () {})"] {
            let failure = try await PageFixture.failure(engine, PageFixture.script(body), limit: .milliseconds(300))
            #expect(failure.reason == .timedOut, "\(failure)")
            #expect(failure.message == "run did not call completionFunction within 0.3 s")
        }
        let rejected = "var ExtensionPreprocessingJS = { run: async function (a) { throw new Error('late') } }"
        let failure = try await PageFixture.failure(engine, rejected)
        #expect(failure.reason == .exception && failure.message == "Error: late", "\(failure)")
    }

    // spec: WP-12
    @Test("WP-12: the limit is 5 s unless the host gives another")
    func theDefaultLimit() async throws {
        #expect(WebPage.defaultLimit == .seconds(5) && WebPageHost.Settings().limit == .seconds(5))
        // The clock of a page in jsc stands still: a timer runs at once, if its time is within the limit.
        let page = try await PageFixture.open(.jsc)
        func script(_ milliseconds: Int) -> String {
            PageFixture.script("setTimeout(function () { a.completionFunction({n: 1}) }, \(milliseconds))")
        }
        #expect(try await page.run(script(1000), file: "Action.js").plist == ["n": 1])
        let failure = await #expect(throws: ScriptFailure.self) { try await page.run(script(5001), file: "Action.js") }
        #expect(failure?.message == "run did not call completionFunction within 5 s", "\(String(describing: failure))")
        try await PageFixture.gone(page)
    }

    // spec: WP-18
    @Test("WP-18: two runs give the same results and the same document", arguments: TestedEngines.all)
    func runsAreEqual(engine: PageEngineKind) async throws {
        let script = PageFixture.script(
            """
            a.completionFunction({
                now: Date.now(), made: new Date(), text: Date(), chance: [Math.random(), Math.random()],
                year: new Intl.DateTimeFormat("en", {year: "numeric"}).format(),
                zone: new Date(0).getTimezoneOffset(), width: window.innerWidth, height: window.innerHeight
            });
            """, finalize: "document.body.setAttribute('data-x', Math.random() + ' ' + new Date().toISOString())")
        var seen: [[String]] = []
        for _ in 0..<2 {
            let page = try await PageFixture.open(engine)
            let results = try await page.run(script, file: "Action.js")
            #expect(results.plist.dictionary?["now"] == .integer(1_767_268_800_000))
            #expect(results.plist.dictionary?["zone"] == 0 && results.plist.dictionary?["year"] == "2026")
            #expect(results.plist.dictionary?["width"] == 1024 && results.plist.dictionary?["height"] == 768)
            try await page.finalize(WebPageResults(plist: [:]))
            seen.append(["\(results.plist)", try await page.html])
            try await PageFixture.gone(page)
        }
        #expect(seen[0] == seen[1])
    }

    // spec: WP-8
    // not simulated: N-101
    @Test("WP-8: without a function finalize nothing happens", arguments: TestedEngines.all)
    func finalizeMayBeMissing(engine: PageEngineKind) async throws {
        let page = try await PageFixture.open(engine)
        _ = try await page.run(PageFixture.script("a.completionFunction({})"), file: "Action.js")
        let before = try await page.html
        #expect(try await page.finalize(WebPageResults(plist: [:])) == false)
        #expect(try await page.html == before)
        let failure = await #expect(throws: ExtensionHostError.self) {
            try await page.finalize(try #require(WebPageResults(["d": Data([1])])))
        }
        #expect(failure?.code == .invalidArgument)
        try await PageFixture.gone(page)
    }

    // spec: WP-16
    @Test("WP-16: no load succeeds, and each is counted", arguments: TestedEngines.all)
    func loadsFail(engine: PageEngineKind) async throws {
        let html = "<img src='https://other.example/a.png'><p>x</p>"
        let page = try await PageFixture.open(engine, html: html)
        let before = page.failedLoads
        #expect(before >= 1)
        let body = """
            var request = new XMLHttpRequest();
            request.open("GET", "https://127.0.0.1:8443/");
            request.onerror = function () {
                fetch("https://other.example/b").then(function () { return "loaded" }, function () { return "failed" })
                    .then(function (word) { a.completionFunction({status: request.status, word: word}); });
            };
            request.send();
            """
        let results = try await page.run(PageFixture.script(body), file: "Action.js")
        #expect(results.plist == ["status": 0, "word": "failed"])
        #expect(page.failedLoads >= before + 2)
        try await PageFixture.gone(page)
    }

    // spec: WP-16
    @Test("WP-16: a page has nothing of the storage of the one before", arguments: TestedEngines.all)
    func storageIsEmpty(engine: PageEngineKind) async throws {
        let body = """
            var before = localStorage.getItem("k");
            localStorage.setItem("k", "v");
            a.completionFunction({before: String(before), after: localStorage.getItem("k"), cookie: document.cookie});
            """
        for _ in 0..<2 {
            let expected: PropertyListDictionary = ["before": "null", "after": "v", "cookie": ""]
            #expect(try await PageFixture.results(engine, PageFixture.script(body)) == expected)
        }
    }

    // spec: WP-17
    @Test("WP-17: each engine states its abilities") func factsAreStated() async throws {
        let page = try await PageFixture.open(.jsc)
        #expect(!page.facts.scripts && !page.facts.isolatedWorld && !page.facts.layout && !page.facts.frames)
        #expect(page.facts.version.contains("domino"))
        let html = "<script>document.title = 'changed'</script><title>t</title>"
        let other = try await PageFixture.open(.jsc, html: html)
        #expect(other.title == "t")
        try await PageFixture.gone(page)
        try await PageFixture.gone(other)
    }

    // spec: WP-20
    @Test("WP-20: an address without a scheme, a large page and a strange limit are refused")
    func argumentsAreChecked() async throws {
        let address = try #require(URL(string: "news.example"))
        let first = await #expect(throws: ExtensionHostError.self) {
            try await PageFixture.open(.jsc, url: address)
        }
        #expect(first?.code == .invalidArgument)
        let large = String(repeating: "x", count: (16 << 20) + 1)
        let second = await #expect(throws: ExtensionHostError.self) { try await PageFixture.open(.jsc, html: large) }
        #expect(second?.code == .payloadTooLarge)
        let page = try await PageFixture.open(.jsc)
        let third = await #expect(throws: ExtensionHostError.self) { try await page.run("", file: "a", limit: .zero) }
        #expect(third?.code == .invalidArgument)
        let script = String(repeating: " ", count: (1 << 20) + 1)
        let fourth = await #expect(throws: ScriptFailure.self) { try await page.run(script, file: "Action.js") }
        #expect(fourth?.reason == .tooLarge)
        await page.close()
        let fifth = await #expect(throws: ExtensionHostError.self) { try await page.evaluate("1") }
        #expect(fifth?.code == .interrupted)
    }
}
