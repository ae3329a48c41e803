// ChromiumEngine: pages in a headless Chromium, by its DevTools protocol.

package import PageMessages
internal import PropertyListCoding

/// Chromium's engine, a process with children, which end with the object. Its profile is a folder in `TMPDIR`.
///
/// The browser's sandbox is off, so the process must be enclosed. Chromium counts the loads of pages, frames and their scripts; web sockets
/// and workers' loads fail uncounted.
package final class ChromiumEngine: PageEngine {
    package static var kind: PageEngineKind { .chromium }

    private static let world = "exthost.ExtensionPreprocessing"
    /// A page whose scripts begin new loads for ever is loaded when so many have failed after its DOM was complete.
    private static let loadsAfterDOM = 100

    private let process: ChromiumProcess
    /// The session with the page; nil for questions to the browser.
    private var session: String?
    /// The storage of the page.
    private var storage: ChromiumValue?
    /// The page's own frame.
    private var frame = ""
    private var answers: [Int: ChromiumValue] = [:]
    private var awaited: Set<Int> = []
    private var messages: [String] = []
    private var page = ChromiumPage(html: "")
    private var loads = 0

    package private(set) var facts = PageFacts(
        engine: "chromium", version: "", scripts: true, isolatedWorld: true, layout: true, frames: true)

    package init() throws(PageFault) {
        process = try ChromiumProcess()
        let product = try call("Browser.getVersion")["product"].text ?? ""
        facts.version = String(product.drop { $0 != "/" }.dropFirst())
    }

    package func load(_ source: PageSource) throws(PageFault) {
        try BrowserScripts.check(source)
        page = ChromiumPage(html: source.html)
        messages = []
        try openTarget()
        let clock = ChromiumValue.string(BrowserScripts.stillness(source))
        try call("Page.addScriptToEvaluateOnNewDocument", ["source": clock])
        try call("Page.addScriptToEvaluateOnNewDocument", ["source": clock, "worldName": .string(Self.world)])
        try call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(source.width)), "height": .number(Double(source.height)),
                "deviceScaleFactor": 1, "mobile": false,
            ])
        // Page.navigate would leave the page a former one to go back to.
        var address = JSONWriter()
        address.string(source.url)
        let answer = try call("Runtime.evaluate", ["expression": .string("location.replace(\(address.text))")])
        if case .object = answer["exceptionDetails"] { throw .engine("Chromium takes no URL \(source.url)") }
        try wait { $0.isLoaded }
    }

    /// Opens a target with a storage of its own, in place of the former one.
    private func openTarget() throws(PageFault) {
        session = nil
        if let storage { try call("Target.disposeBrowserContext", ["browserContextId": storage]) }
        let context = try call("Target.createBrowserContext")["browserContextId"]
        storage = context
        try call("Browser.setDownloadBehavior", ["behavior": "deny", "browserContextId": context])
        let target = try call("Target.createTarget", ["url": "about:blank", "browserContextId": context])["targetId"]
        // The frame of a page has the name of its target.
        frame = target.text ?? ""
        session = try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"].text
        for domain in ["Page", "Inspector", "Runtime"] { try call("\(domain).enable") }
        // Chromium gives a new page the focus some time after it, which a script could see.
        try call("Emulation.setFocusEmulationEnabled", ["enabled": true])
        try call("Fetch.enable", ["patterns": [["urlPattern": "*"]]])
        try call("Runtime.addBinding", ["name": "exthostPost", "executionContextName": .string(Self.world)])
    }

    package func evaluate(_ script: PageScript, in world: PageWorld) throws(PageFault) -> String? {
        try drain()
        let context = try context(of: world)
        let answer: ChromiumValue
        do {
            answer = try call(
                "Runtime.evaluate",
                [
                    "expression": .string(BrowserScripts.named(script)), "uniqueContextId": .string(context),
                    "silent": true,
                ])
        } catch {
            // The context may have gone with its document, which is the reason then.
            _ = try self.context(of: world)
            throw error
        }
        if case .object = answer["exceptionDetails"] {
            throw ChromiumFault.script(answer["exceptionDetails"], in: script)
        }
        return answer["result"]["value"].text
    }

    /// Returns the context of a world.
    ///
    /// A page that leaves its document loses its contexts first. The next events tell what has become of it.
    private func context(of world: PageWorld) throws(PageFault) -> String {
        while true {
            try page.check()
            if let context = world == .page ? page.pageContext : page.extensionContext { return context }
            guard page.isCommitted else { throw .engine("there is no page") }
            try handleNext()
        }
    }

    package func message(until deadline: ContinuousClock.Instant) throws(PageFault) -> String? {
        try drain()
        while messages.isEmpty {
            try page.check()
            guard let message = try process.receive(until: deadline) else { return nil }
            try handle(message)
        }
        return messages.removeFirst()
    }

    package func html() throws(PageFault) -> String {
        try BrowserScripts.html(of: self)
    }

    package var failedLoads: Int {
        // The loads that Chromium has reported; if it has ended, the next call says so.
        try? drain()
        return page.failedLoads
    }

    private func wait(for condition: (ChromiumPage) -> Bool) throws(PageFault) {
        while !condition(page) {
            try page.check()
            try handleNext()
        }
    }

    private func handleNext() throws(PageFault) {
        if let message = try process.receive(until: nil) { try handle(message) }
    }

    /// Handles what has arrived already, at most a thousand messages: a page may cause them without end.
    private func drain() throws(PageFault) {
        let now = ContinuousClock.now
        for _ in 0..<1000 {
            guard let message = try process.receive(until: now) else { return }
            try handle(message)
        }
    }

    @discardableResult
    private func call(
        _ method: String, _ parameters: ChromiumValue = [:]
    ) throws(PageFault) -> ChromiumValue {
        let number = try process.send(method, parameters, session: session)
        awaited.insert(number)
        defer { awaited.remove(number) }
        while true {
            if let answer = answers.removeValue(forKey: number) {
                if let words = answer["error"]["message"].text { throw .engine("\(method): \(words)") }
                return answer["result"]
            }
            try page.check()
            try handleNext()
        }
    }

    private func handle(_ message: ChromiumValue) throws(PageFault) {
        // Events of a former page.
        if let from = message["sessionId"].text, from != session { return }
        if let number = message["id"].number {
            if awaited.contains(number) { answers[number] = message }
            return
        }
        let event = message["params"]
        switch message["method"].text {
        case "Fetch.requestPaused": try decide(event)
        case "Page.javascriptDialogOpening":
            try process.send("Page.handleJavaScriptDialog", ["accept": false], session: session)
        case "Runtime.bindingCalled":
            // The page knows no function of this name.
            if event["name"] == "exthostPost", let text = event["payload"].text { messages.append(text) }
        case "Inspector.targetCrashed", "Target.targetCrashed": page.fault = "the process of the page ended"
        case "Inspector.detached": page.fault = "Chromium closed the page"
        default: page.handle(event, named: message["method"].text ?? "", of: frame, world: Self.world)
        }
    }

    /// Answers a request: with the page if it is the navigation of `load`, else with a failure.
    private func decide(_ event: ChromiumValue) throws(PageFault) {
        let isPage = event["resourceType"] == "Document" && event["frameId"] == .string(frame)
        if isPage, let body = page.takeBody() {
            try process.send(
                "Fetch.fulfillRequest",
                [
                    "requestId": event["requestId"], "responseCode": 200, "body": .string(body),
                    "responseHeaders": [["name": "Content-Type", "value": "text/html; charset=utf-8"]],
                ], session: session)
            return
        }
        page.failedLoads += 1
        if page.isComplete {
            loads += 1
            if loads >= Self.loadsAfterDOM { page.isLoaded = true }
        } else {
            loads = 0
        }
        // An aborted navigation leaves the page as it is.
        try process.send(
            "Fetch.failRequest", ["requestId": event["requestId"], "errorReason": isPage ? "Aborted" : "Failed"],
            session: session)
    }
}
