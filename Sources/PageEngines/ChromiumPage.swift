// ChromiumPage: the state of the page that Chromium shows.

internal import PageMessages

/// The state of one page, by Chromium's events.
struct ChromiumPage {
    var failedLoads = 0
    /// Whether the DOM is complete.
    private(set) var isComplete = false
    var isLoaded = false
    /// The unique identifiers of the two worlds of the page's own frame.
    private(set) var pageContext: String?
    private(set) var extensionContext: String?
    /// The reason for which there is no page any more.
    var fault: String?

    private var html: String?
    /// Whether the page that was asked for has begun.
    private(set) var isCommitted = false

    init(html: String) { self.html = html }

    /// Returns the page as base64, once.
    mutating func takeBody() -> String? {
        defer { html = nil }
        return html.map { Self.base64(Array($0.utf8)) }
    }

    func check() throws(PageFault) {
        if let fault { throw .engine(fault) }
    }

    mutating func handle(_ event: ChromiumValue, named name: String, of frame: String, world: String) {
        switch name {
        case "Page.frameNavigated" where event["frame"]["id"] == .string(frame):
            // Before the page is asked for, the event is of an empty one.
            guard html == nil else { return }
            if isCommitted { fault = "the page left its document" }
            isCommitted = true
        case "Page.domContentEventFired" where isCommitted: isComplete = true
        case "Page.loadEventFired" where isCommitted: isLoaded = true
        case "Runtime.executionContextsCleared": (pageContext, extensionContext) = (nil, nil)
        case "Runtime.executionContextCreated":
            let context = event["context"]
            guard context["auxData"]["frameId"] == .string(frame) else { return }
            if context["name"] == .string(world) {
                extensionContext = context["uniqueId"].text
            } else if context["auxData"]["isDefault"] == true {
                pageContext = context["uniqueId"].text
            }
        default: break
        }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group = UInt32(bytes[start]) << 16
            if count > 1 { group |= UInt32(bytes[start + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[start + 2]) }
            for place in 0..<4 {
                text.append(place <= count ? letters[Int(group >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
