// Trials: the behaviour of a page engine, whichever it is.

import Glibc
import PageEngines
import PageMessages

enum Trials {
    static let address = "https://news.example/a/story.html"
    /// 2020-02-02 02:02:02.020.
    static let clock = 1_580_608_922_020.0

    static func source(_ html: String, url: String = address, width: Int = 1024, height: Int = 768) -> PageSource {
        PageSource(html: "<!DOCTYPE html>\n" + html, url: url, width: width, height: height, clock: clock)
    }

    static func dom(_ engine: any PageEngine) throws {
        try engine.load(source("<title>Höhe 🏔</title><base href='/b/'><p id=p>a &amp; b</p><!-- \u{1f600} -->"))
        func value(_ text: String) throws -> String? { try engine.evaluate(PageScript(text, name: "t.js"), in: .page) }
        try expect(try value("document.URL"), address)
        try expect(try value("document.baseURI"), "https://news.example/b/")
        try expect(try value("document.title"), "Höhe 🏔")
        try expect(try value("document.getElementById('p').textContent"), "a & b")
        try expect(try value("document.readyState"), "complete")
        try expect(try value("1 + 1"), nil, "a number")
        try expect(try value("undefined"), nil, "undefined")
        try expect(try value("document.body"), nil, "a node")
        try expect(try value("(() => 1)"), nil, "a function")
        try expect(try value("({})"), nil, "an object")
        try expect(try value("''"), "", "an empty text")
        try expect(try value("'a\\0b\\ud83d\\ude00'"), "a\0b😀", "a text with a NUL")
        try expect(try value("'\0'"), "\0", "a script with a NUL")
        try expect(try value("'x'.repeat(16 << 20)")?.utf8.count, 16 << 20, "16 MiB")
        let html = try engine.html()
        try expect(html.hasPrefix("<!DOCTYPE html>\n<html>"), "the document type: \(html.prefix(60))")
        try expect(html.contains("<p id=\"p\">a &amp; b</p><!-- 😀 -->"), "the HTML: \(html)")
        try expect(engine.failedLoads, 0, "failed loads")
    }

    static func worlds(_ engine: any PageEngine) throws {
        try engine.load(
            source(
                "<p id=p>x</p><script>var ofPage = 1; var ExtensionPreprocessingJS = 'fake';"
                    + "Array.prototype.map = () => 'fake'; document.getElementById('p').extra = 1</script>"))
        let script = PageScript(
            "var ofExtension = 1; let alsoOfExtension = 2; class ExtensionPreprocessingJS {}", name: "s.js")
        _ = try engine.evaluate(script, in: .extension)
        func value(_ text: String, _ world: PageWorld) throws -> String? {
            try engine.evaluate(PageScript(text, name: "t.js"), in: world)
        }
        let names = "[typeof ofPage, typeof ofExtension, typeof alsoOfExtension, typeof ExtensionPreprocessingJS]"
        try expect(try value(names + ".join()", .page), "number,undefined,undefined,string")
        try expect(try value(names + ".join()", .extension), "undefined,number,number,function")
        try expect(try value("[1].map(String).join()", .extension), "1", "the page's prototypes")
        try expect(try value("typeof document.getElementById('p').extra", .extension), "undefined")
        try expect(try value("document.getElementById('p').textContent", .extension), "x", "the same DOM")
        try expect(try value("typeof exthostPost", .extension), "function")
        try expect(try value("typeof exthostPost", .page), "undefined")
    }

    static func frames(_ engine: any PageEngine) throws {
        let frames = [
            "sandbox srcdoc='<p>secret</p>'", "src='data:text/html,<p>secret</p>'", "srcdoc='<p>open</p>'",
            "src='about:blank'", "src='https://other.example/'",
        ]
        try engine.load(source(frames.map { "<iframe \($0)></iframe>" }.joined()))
        let script = """
            Array.from(document.querySelectorAll("iframe"), frame => {
                try { return frame.contentDocument ? frame.contentDocument.body.textContent : "closed" }
                catch (error) { return error.name }
            }).join()
            """
        for world in [PageWorld.page, .extension] {
            let value = try engine.evaluate(PageScript(script, name: "t.js"), in: world)
            let parts = (value ?? "").split(separator: ",", omittingEmptySubsequences: false)
            try expect(Array(parts.prefix(4)), ["closed", "closed", "open", ""], "the frames' documents")
            // An engine leaves an error page or the empty first document in a frame whose load failed.
            try expect(parts.last == "closed" || parts.last == "", "a failed frame: \(parts.last ?? "")")
            let windows = "try { String(frames[0].document) } catch (error) { error.name }"
            try expect(try engine.evaluate(PageScript(windows, name: "t.js"), in: world), "SecurityError")
        }
        try expect(engine.failedLoads, 1, "failed loads")
    }

    static func late(_ engine: any PageEngine) throws {
        try engine.load(source("<p>x</p>"))
        let deadline = ContinuousClock.now + .seconds(60)
        let script = """
            exthostPost("at once");
            Promise.resolve().then(() => exthostPost("promise"));
            setTimeout(() => exthostPost("timer\\0" + "x".repeat(1 << 20)), 50);
            """
        _ = try engine.evaluate(PageScript(script, name: "t.js"), in: .extension)
        try expect(try engine.message(until: deadline), "at once")
        try expect(try engine.message(until: deadline), "promise")
        try expect(try engine.message(until: deadline), "timer\0" + String(repeating: "x", count: 1 << 20))
        let begin = ContinuousClock.now
        try expect(try engine.message(until: begin + .milliseconds(20)), nil)
        try expect(ContinuousClock.now - begin >= .milliseconds(20), "the deadline was awaited")
        try expect(try engine.message(until: begin), nil, "a deadline that is over")
        _ = try engine.evaluate(PageScript("exthostPost('of the former page')", name: "t.js"), in: .extension)
        try engine.load(source("<p>y</p>"))
        try expect(try engine.message(until: ContinuousClock.now + .milliseconds(50)), nil)
    }

    static func exceptions(_ engine: any PageEngine) throws {
        try engine.load(source("<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\"><p>x</p>"))
        func fault(_ text: String) throws -> (message: String, file: String, line: Int, column: Int) {
            do {
                _ = try engine.evaluate(PageScript(text, name: "Größe 1.js"), in: .extension)
            } catch PageFault.script(let message, let file, let line, let column, _) {
                return (message, file, line, column)
            }
            throw TrialFailure(description: "no exception")
        }
        let error = try fault("\n\n  throw new Error(\"boom: 1:2: x\")")
        try expect(error.message, "Error: boom: 1:2: x")
        try expect(error.file, "Größe 1.js")
        try expect(error.line, 3)
        try expect((3...40).contains(error.column), "column \(error.column)")
        let syntax = try fault("var a = 1;\nclass {")
        try expect(syntax.message.hasPrefix("SyntaxError: "), syntax.message)
        try expect(syntax.line, 2)
        try expect(syntax.file, "Größe 1.js")
        let reference = try fault("let b = 1; missing()")
        try expect(reference.message.hasPrefix("ReferenceError: "), reference.message)
        try expect(reference.line, 1)
        try expect(try fault("throw 'words'").message, "words")
        try expect(try fault("function f() { f() } f()").message.hasPrefix("RangeError: "), "deep recursion")
        try expect(try fault("/* not closed").message.hasPrefix("SyntaxError: "), "an open comment")
        // The engine goes on after all that.
        try expect(try engine.evaluate(PageScript("'on'", name: "t.js"), in: .extension), "on")
    }

    static func pageScripts(_ engine: any PageEngine) throws {
        try engine.load(
            source(
                """
                <body><script>document.body.dataset.first = "1"</script>
                <script type=module>document.body.dataset.module = document.readyState</script>
                <script>addEventListener("load", () => document.body.dataset.load = "1");
                addEventListener("DOMContentLoaded", event => event.stopImmediatePropagation(), true)</script>
                <noscript>none</noscript>
                """))
        let script = "JSON.stringify(document.body.dataset)"
        try expect(
            try engine.evaluate(PageScript(script, name: "t.js"), in: .extension),
            #"{"first":"1","module":"interactive","load":"1"}"#)
    }

    static func layout(_ engine: any PageEngine) throws {
        let html = "<style>body { margin: 0 } p { width: 50%; color: rgb(1, 2, 3) }</style><p id=p style='height:7px'>x"
        let script = """
            (() => {
                const p = document.getElementById("p"), box = p.getBoundingClientRect();
                return [innerWidth, innerHeight, box.width, box.height, getComputedStyle(p).color,
                    document.fonts.check("16px serif"), matchMedia("(min-width: 1000px)").matches].join(" ")
            })()
            """
        try engine.load(source(html))
        try expect(
            try engine.evaluate(PageScript(script, name: "t.js"), in: .extension),
            "1024 768 512 7 rgb(1, 2, 3) true true")
        try engine.load(source(html, width: 400, height: 300))
        try expect(
            try engine.evaluate(PageScript(script, name: "t.js"), in: .extension),
            "400 300 200 7 rgb(1, 2, 3) true false")
        let text = "document.getElementById('p').innerText"
        try expect(try engine.evaluate(PageScript(text, name: "t.js"), in: .extension), "x")
    }

    /// The view of each page is visible and has the focus before the first script runs, and is not shown later.
    static func visibility(_ engine: any PageEngine) throws {
        let html = """
            <script>
                var states = [document.visibilityState, document.hasFocus()];
                document.addEventListener("visibilitychange", () => states.push(document.visibilityState));
                requestAnimationFrame(() => requestAnimationFrame(() => states.push("drawn")));
            </script>
            """
        let script = """
            (function look() { document.title ? exthostPost(document.title) : setTimeout(look, 1) })()
            """
        let title = "(function look() { states.length > 2 ? document.title = states : setTimeout(look, 1) })()"
        for _ in 0..<4 {
            try engine.load(source(html))
            _ = try engine.evaluate(PageScript(title, name: "t.js"), in: .page)
            _ = try engine.evaluate(PageScript(script, name: "t.js"), in: .extension)
            try expect(try engine.message(until: .now + .seconds(60)), "visible,true,drawn")
        }
    }

    static func changes(_ engine: any PageEngine) throws {
        try engine.load(
            source(
                """
                <style>.marked { background-color: rgb(255, 0, 0) }</style><body>
                <script>var seen = []; new MutationObserver(records => { for (const record of records)
                    seen.push(record.attributeName || record.type) }).observe(document.body,
                    { attributes: true, childList: true })</script>
                """))
        let change = """
            document.body.className = "marked";
            document.body.append(document.createElement("hr"));
            document.body.dispatchEvent(new CustomEvent("changed"));
            """
        _ = try engine.evaluate(PageScript(change, name: "t.js"), in: .extension)
        let script = "[getComputedStyle(document.body).backgroundColor, ...seen].join()"
        try expect(
            try engine.evaluate(PageScript(script, name: "t.js"), in: .page), "rgb(255, 0, 0),class,childList")
        try expect(try engine.html().contains("<hr>"), "the new element")
    }

    static func network(_ engine: any PageEngine) throws {
        let server = try LoopbackServer()
        let host = "http://127.0.0.1:\(server.port)"
        try engine.load(
            source(
                """
                <link rel=stylesheet href="\(host)/style.css"><script src="\(host)/script.js"></script>
                <img src="\(host)/image.png"><iframe src="\(host)/frame.html"></iframe>
                <object data="\(host)/object"></object><link rel=preconnect href="\(host)">
                <script>
                var failed = [];
                fetch("\(host)/fetch").catch(() => failed.push("fetch"));
                const request = new XMLHttpRequest();
                request.open("GET", "\(host)/request", false);
                try { request.send() } catch { failed.push("request") }
                try { new WebSocket("ws://127.0.0.1:\(server.port)").onerror = () => failed.push("socket") }
                catch { failed.push("socket") }
                navigator.sendBeacon("\(host)/beacon");
                const file = new Image; file.onerror = () => failed.push("file"); file.src = "file:///etc/passwd";
                </script><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" onload="failed.push('data')">
                """, url: "http://news.example/"))
        try wait(
            for: "['data','fetch','file','request','socket'].every(name => failed.includes(name)) ? 'all' : ''", engine)
        try expect(engine.failedLoads >= 7, "\(engine.failedLoads) failed loads")
        try expect(server.wasReached, false, "a connection to loopback")
        let storage = "try { String(localStorage.length) + indexedDB.constructor.name } catch (error) { error.name }"
        try expect(try engine.evaluate(PageScript(storage, name: "t.js"), in: .page), "0IDBFactory")
        for url in ["file:///etc/passwd", "about:blank", "chrome://version/", "data:text/html,x", "x", ""] {
            do {
                try engine.load(source("<p>x", url: url))
                throw TrialFailure(description: "a page at \(url)")
            } catch PageFault.engine {}
        }
    }

    /// Evaluates until the value is not empty.
    static func wait(for script: String, _ engine: any PageEngine) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try engine.evaluate(PageScript(script, name: "w.js"), in: .page) == "" {
            guard ContinuousClock.now < deadline else { throw TrialFailure(description: "in vain: \(script)") }
            _ = try engine.message(until: ContinuousClock.now + .milliseconds(10))
        }
    }

    /// Prints what a page makes of time and chance, and the page. The test compares two runs.
    static func printedRun(_ engine: any PageEngine) throws {
        try engine.load(
            source(
                """
                <body><canvas id=c></canvas><pre></pre><script>
                const text = [Date(), new Date().toISOString(), Date.now(), new Date(5).getTime(), +new Date(2020, 1),
                    performance.now(), performance.timeOrigin, Math.random(), Math.random(), crypto.randomUUID(),
                    crypto.getRandomValues(new Uint16Array(4)).join(), document.lastModified, new Event("x").timeStamp,
                    new Date() instanceof Date, new Date().constructor === Date, Object.prototype.toString.call(new Date),
                    new (class extends Date { more() { return this.getTime() } })().more(), Date.length, Date.name,
                    innerWidth, devicePixelRatio, document.body.getBoundingClientRect().height];
                document.querySelector("pre").textContent = text.join("\\n");
                requestAnimationFrame(time => document.body.dataset.frame = time);
                </script>
                """))
        try wait(for: "document.body.dataset.frame || ''", engine)
        let moment = "new Date().toISOString()"
        for world in [PageWorld.page, .extension] {
            try expect(try engine.evaluate(PageScript(moment, name: "t.js"), in: world), "2020-02-02T02:02:02.020Z")
        }
        let random = try engine.evaluate(PageScript("String(Math.random())", name: "t.js"), in: .extension)
        print(try engine.html(), random ?? "", separator: "\n")
    }

    static func hostile(_ engine: any PageEngine) throws {
        let pages = [
            "dialogs": """
            <script>alert("x"); document.title = [confirm("x"), prompt("x", "y"), window.open("https://a.example/"),
            window.open()].join()</script>
            """,
            "requests": """
            <script>const next = () => { const image = new Image; image.onerror = next;
            image.src = "https://a.example/" + Math.random() }; next()</script>
            """,
            "timers":
                "<script>const next = () => { setTimeout(next); Promise.resolve().then(() => 0) }; next()</script>",
            "deep": "<script>document.write('<b>'.repeat(3000))</script>",
            "prototypes": """
            <script>Object.prototype.toString = Function.prototype.call = JSON.stringify = null;
            Document.prototype.getElementById = () => { throw 1 };
            Object.defineProperty(document, "title", { get() { throw 1 } })</script>
            """,
            "cut": "<p><b <script>",
            "empty": "",
        ]
        for name in pages.keys.sorted() {
            try engine.load(source(pages[name] ?? ""))
            let script = "document.URL + ' ' + document.querySelectorAll('head').length"
            try expect(
                try engine.evaluate(PageScript(script, name: "t.js"), in: .extension), address + " 1", name)
            if name == "dialogs" {
                try expect(
                    try engine.evaluate(PageScript("document.title", name: "t.js"), in: .extension), "false,,,")
            }
            if name == "requests" { try expect(engine.failedLoads >= 100, "\(engine.failedLoads) failed loads") }
        }
    }

    /// The page stays what it was. Only to a document of the engine's own it may leave, which is an error.
    static func navigation(_ engine: any PageEngine) throws {
        let acts = [
            "location = 'https://a.example/'", "location.replace('/other')", "location.reload()", "history.back()",
            "document.forms[0].submit()", "document.links[0].click()", "location = 'data:text/html,x'",
            "location = URL.createObjectURL(new Blob(['x'], { type: 'text/html' }))",
            "frames[0].eval('top.location = \"https://a.example/\"')",
            "location = 'file:///etc/passwd'", "location = 'about:blank'", "location = 'about:srcdoc'",
        ]
        for act in acts {
            try engine.load(
                source("<form action=/a></form><a href=/b>b</a><iframe srcdoc=x></iframe><p id=p>here</p>"))
            _ = try engine.evaluate(PageScript("setTimeout(() => { \(act) }); ''", name: "t.js"), in: .page)
            do {
                _ = try engine.message(until: ContinuousClock.now + .milliseconds(100))
                let script = "document.URL + ' ' + document.getElementById('p').textContent"
                let text = try engine.evaluate(PageScript(script, name: "t.js"), in: .extension)
                try expect(text, address + " here", act)
            } catch PageFault.engine(let words) {
                try expect(words, "the page left its document", act)
                try expect(act.contains("about:") || act.contains("Blob"), "left by \(act)")
            }
        }
        try engine.load(source("<meta http-equiv=refresh content='0; url=https://a.example/'><p>x</p>"))
        while engine.failedLoads == 0 { _ = try engine.message(until: ContinuousClock.now + .milliseconds(10)) }
        let part = "location = '#part'; history.pushState(1, '', '?query'); document.URL"
        try expect(try engine.evaluate(PageScript(part, name: "t.js"), in: .page), address + "?query")
        try expect(try engine.evaluate(PageScript("document.URL", name: "t.js"), in: .extension), address + "?query")
    }

    static func manyFrames(_ engine: any PageEngine) throws {
        try engine.load(
            source(
                """
                <body><script>for (let index = 0; index < 1000; index++) {
                    const frame = document.createElement("iframe");
                    if (index % 100 == 0) frame.srcdoc = "<p>" + index;
                    document.body.append(frame);
                }</script>
                """))
        let script = "frames.length + ' ' + frames[900].document.body.textContent + ' ' + frames[999].Date.now()"
        try expect(
            try engine.evaluate(PageScript(script, name: "t.js"), in: .page), "1000 900 1580608922020")
    }

    static func death(_ engine: any PageEngine) throws {
        try engine.load(source("<p>x</p>"))
        let processes = Descendant.all()
        try expect(processes.count >= 2, "the engine has processes")
        for process in processes { kill(process.pid, SIGKILL) }
        for act in 0..<3 {
            do {
                switch act {
                case 0: _ = try engine.evaluate(PageScript("'x'", name: "t.js"), in: .page)
                case 1: _ = try engine.message(until: ContinuousClock.now + .seconds(60))
                default: _ = try engine.html()
                }
                throw TrialFailure(description: "act \(act) of an engine that is dead")
            } catch PageFault.engine(let words) {
                try expect(!words.isEmpty, "words")
            }
        }
    }

    static func secondPage(_ engine: any PageEngine) throws {
        try engine.load(
            source(
                "<script>var old = 1; localStorage.old = document.cookie = window.name = 'old=1'</script><img src=/x>"))
        _ = try engine.evaluate(PageScript("var old = 1", name: "t.js"), in: .extension)
        try engine.load(source("<title>second</title>", url: "https://other.example/"))
        for world in [PageWorld.page, .extension] {
            let script = "[typeof old, document.URL, document.title, document.cookie].join()"
            try expect(
                try engine.evaluate(PageScript(script, name: "t.js"), in: world),
                "undefined,https://other.example/,second,")
        }
        try expect(engine.failedLoads, 0, "failed loads")
        try engine.load(source("<p>the first page again</p>"))
        let script = "[localStorage.old, document.cookie, document.referrer, history.length, window.name].join()"
        try expect(try engine.evaluate(PageScript(script, name: "t.js"), in: .page), ",,,1,")
    }
}
