// Chatter: an iMessage app that does what its buttons say, and writes down what it is told.

import ExtensionPointKit
import Glibc
import Messages
import PointFrameworkKit
import PointMessages

/// Writes a line to standard error, where a test reads it.
func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

class Chatter: MSMessagesAppViewController {
    private let told = UILabel()
    private let answer = UILabel()
    /// The message that was made last.
    private var last: MSMessage?

    private static let words = [
        "insert", "again", "long", "image", "media file", "missing", "text", "sticker", "file", "web file",
        "send message", "send text", "send twice", "expand", "compact", "transcript", "loop", "dismiss", "present",
        "die", "flood", "async", "hang at transition", "hang at close", "send at close", "archive", "live",
    ]

    override func viewDidLoad() {
        super.viewDidLoad()
        told.accessibilityIdentifier = "told"
        answer.accessibilityIdentifier = "answer"
        view.addSubview(told)
        view.addSubview(answer)
        for word in Self.words {
            let button = UIButton(type: .system)
            button.setTitle(word, for: .normal)
            button.addAction(UIAction { [weak self] _ in self?.act(word) }, for: .touchUpInside)
            view.addSubview(button)
        }
        let browser = Stickers(stickerSize: .small)
        addChild(browser)
        view.addSubview(browser.view)
        browser.didMove(toParent: self)
        note("load \(presentationStyle) \(activeConversation == nil)")
        switch Bundle.main.object(forInfoDictionaryKey: "TestWish") as? String {
        case "dieAtLoad": exit(3)
        case "sendAtLoad": wish = "send at active"
        case "dismissAtActive": wish = "dismiss at active"
        case "expandAtAppear": wish = "expand at appear"
        default: break
        }
    }

    private var wish = ""

    private func note(_ text: String) { told.text = (told.text.map { $0 + ", " } ?? "") + text }

    // MARK: What it is told

    private func name(_ message: MSMessage?) -> String {
        guard let message else { return "nothing" }
        return (message.url?.absoluteString ?? "no url") + (message.isPending ? " pending" : "")
            + (message === last ? " same" : "")
    }

    private func note(_ word: String, _ conversation: MSConversation, _ message: MSMessage? = nil) {
        note("\(word) \(name(message ?? conversation.selectedMessage))")
    }

    override func viewWillAppear(_ animated: Bool) {
        note("willAppear")
        // The host has time for its next calls.
        if wish.hasSuffix(" at active") || wish == "expand at appear" { usleep(200_000) }
    }
    override func viewDidAppear(_ animated: Bool) {
        if wish == "expand at appear" { requestPresentationStyle(.expanded) }
    }
    override func viewDidDisappear(_ animated: Bool) { say("didDisappear") }
    override func willBecomeActive(with conversation: MSConversation) {
        note("willBecomeActive \(name(conversation.selectedMessage)) \(conversation === activeConversation)")
        if wish == "dismiss at active" { dismiss() }
    }
    override func didBecomeActive(with conversation: MSConversation) {
        note("didBecomeActive \(conversation.remoteParticipantIdentifiers.count)")
        if presentationStyle == .transcript { note("\(type(of: conversation.selectedMessage!.layout!))") }
        if wish == "send at active" { act("send text") }
    }
    override func willResignActive(with conversation: MSConversation) {
        say("willResignActive")
        if wish == "send at close" {
            conversation.sendText("late") { error in say("late \((error as NSError?)?.code ?? 0)") }
        }
        while wish == "hang at close" { pause() }
    }
    override func didResignActive(with conversation: MSConversation) {
        say("didResignActive \(activeConversation != nil)")
    }
    override func willSelect(_ message: MSMessage, conversation: MSConversation) {
        note("willSelect", conversation, message)
        note("of", conversation)
    }
    override func didSelect(_ message: MSMessage, conversation: MSConversation) {
        let image = (message.layout as? MSMessageTemplateLayout)?.image
        note("didSelect \(name(conversation.selectedMessage))" + (image.map { " \($0.size.width)" } ?? ""))
    }
    override func didReceive(_ message: MSMessage, conversation: MSConversation) {
        let isOther = conversation.remoteParticipantIdentifiers.contains(message.senderParticipantIdentifier)
        note("didReceive \(isOther)", conversation, message)
    }
    override func didStartSending(_ message: MSMessage, conversation: MSConversation) {
        note("didStartSending", conversation, message)
    }
    override func didCancelSending(_ message: MSMessage, conversation: MSConversation) {
        note("didCancelSending", conversation, message)
    }
    override func willTransition(to presentationStyle: MSMessagesAppPresentationStyle) {
        note("willTransition \(presentationStyle) from \(self.presentationStyle)")
        while wish == "hang at transition" { pause() }
    }
    override func didTransition(to presentationStyle: MSMessagesAppPresentationStyle) {
        note("didTransition \(presentationStyle) \(view.frame.height)")
        if wish == "loop" { requestPresentationStyle(presentationStyle == .compact ? .expanded : .compact) }
    }
    override func contentSizeThatFits(_ size: CGSize) -> CGSize { CGSize(width: size.width * 2, height: 80) }

    // MARK: What it does

    nonisolated private func done(_ error: (any Error)?) {
        if let error { say("failed: \(error.localizedDescription)") }
        let word = Thread.isMainThread ? "on main" : (error as NSError?).map { "\($0.domain) \($0.code)" } ?? "ok"
        DispatchQueue.main.async { [self] in answer.text = (answer.text.map { $0 + ", " } ?? "") + word }
    }

    private func message(_ text: String, _ url: String? = nil) -> MSMessage {
        let message = MSMessage(session: last?.session ?? MSSession())
        let layout = MSMessageTemplateLayout()
        layout.caption = text
        message.layout = layout
        message.summaryText = "summary of \(text)"
        message.url = URL(string: url ?? "https://example.org/\(text)")
        last = message
        return message
    }

    private func act(_ word: String) {
        guard let conversation = activeConversation else { return }
        let folder = FileManager.default.temporaryDirectory
        switch word {
        case "insert", "again": conversation.insert(message(word), completionHandler: done)
        case "long":
            conversation.insert(
                message(word, "https://example.org/" + String(repeating: "a", count: 5000)), completionHandler: done)
        case "live":
            let made = message(word)
            let alternate = MSMessageTemplateLayout()
            alternate.caption = "alternate"
            made.layout = MSMessageLiveLayout(alternateLayout: alternate)
            conversation.insert(made, completionHandler: done)
        case "image":
            let made = message(word)
            (made.layout as? MSMessageTemplateLayout)?.image = Stickers.image(120, 100)
            conversation.insert(made, completionHandler: done)
        case "media file", "missing":
            let url = folder.appendingPathComponent("\(word).bin")
            if word != "missing" { try? Data([1, 2, 3]).write(to: url) }
            let made = message("media")
            (made.layout as? MSMessageTemplateLayout)?.mediaFileURL = url
            conversation.insert(made, completionHandler: done)
        case "text": conversation.insertText("hello ", completionHandler: done)
        case "sticker":
            if let sticker = Stickers.sticker("Star") { conversation.insert(sticker, completionHandler: done) }
        case "file":
            let url = folder.appendingPathComponent("note.txt")
            try? Data("a note".utf8).write(to: url)
            conversation.insertAttachment(url, withAlternateFilename: "../../other.txt", completionHandler: done)
        case "web file":
            conversation.insertAttachment(
                URL(string: "https://example.org/a.png")!, withAlternateFilename: nil, completionHandler: done)
        case "send message":
            conversation.send(message(word.replacingOccurrences(of: " ", with: "")), completionHandler: done)
        case "send text": conversation.sendText("sent", completionHandler: done)
        case "send twice":
            conversation.sendText("first", completionHandler: done)
            conversation.sendText("second", completionHandler: done)
        case "expand": requestPresentationStyle(.expanded)
        case "compact": requestPresentationStyle(.compact)
        case "transcript": requestPresentationStyle(.transcript)
        case "loop":
            wish = word
            requestPresentationStyle(.expanded)
        case "dismiss": dismiss()
        case "present":
            let alert = UIAlertController(title: "Above", message: nil, preferredStyle: .alert)
            present(alert, animated: true)
        case "die": exit(3)
        case "flood": for _ in 0..<20 { conversation.insert(Stickers.sticker("Star")!, completionHandler: done) }
        case "async":
            Task {
                try await conversation.insertText("later")
                done(nil)
            }
        case "archive":
            let made = message(word)
            let data = try? NSKeyedArchiver.archivedData(withRootObject: made, requiringSecureCoding: true)
            let read = data.flatMap { try? NSKeyedUnarchiver.unarchivedObject(ofClass: MSMessage.self, from: $0) }
            note("archived \(read?.url?.absoluteString ?? "") \(read?.session == made.session)")
        default: wish = word
        }
    }
}

/// The stickers of a pack.
final class Stickers: MSStickerBrowserViewController {
    static func image(_ width: Int, _ height: Int) -> UIImage? {
        UIImage(contentsOfFile: file("image", width, height).path)
    }

    /// A PNG file with only the size of an image.
    static func file(_ name: String, _ width: Int, _ height: Int, bytes: Int = 60) -> URL {
        var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8))
        for number in [width, height] { data += (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
        data += [UInt8](repeating: 0, count: max(bytes - data.count, 0))
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name).png")
        try? data.write(to: url)
        return url
    }

    static func sticker(_ name: String) -> MSSticker? {
        try? MSSticker(contentsOfFileURL: file(name, 120, 100), localizedDescription: name)
    }

    private let stickers = ["Sun", "Moon"].compactMap { Stickers.sticker($0) }

    override func numberOfStickers(in stickerBrowserView: MSStickerBrowserView) -> Int { stickers.count }
    override func stickerBrowserView(_ stickerBrowserView: MSStickerBrowserView, stickerAt index: Int) -> MSSticker {
        stickers[index]
    }
}

/// An app that says which files are stickers.
final class Judge: MSMessagesAppViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        let label = UILabel()
        label.accessibilityIdentifier = "told"
        let folder = FileManager.default.temporaryDirectory
        let text = folder.appendingPathComponent("text.png")
        try? Data("no image".utf8).write(to: text)
        label.text = [
            Stickers.file("good", 100, 618), Stickers.file("small", 99, 100), Stickers.file("large", 619, 100),
            Stickers.file("heavy", 200, 200, bytes: 500 * 1024 + 1), text, folder.appendingPathComponent("none.png"),
            URL(string: "https://example.org/a.png")!,
        ].map { url in
            do {
                return try MSSticker(contentsOfFileURL: url, localizedDescription: "a").localizedDescription
            } catch let error as NSError {
                return "\(error.domain == MSStickersErrorDomain) \(error.code)"
            }
        }.joined(separator: ", ")
        view.addSubview(label)
    }
}

/// A principal class that is no iMessage app.
final class Stranger: UIViewController {}

/// An app that sends what its framework would not.
final class Liar: MSMessagesAppViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        let button = UIButton(type: .system)
        button.setTitle("lie", for: .normal)
        button.addAction(UIAction { [weak self] _ in self?.lie() }, for: .touchUpInside)
        view.addSubview(button)
    }

    private let label = UILabel()

    private func lie() {
        label.accessibilityIdentifier = "answer"
        view.addSubview(label)
        guard let session = extensionContext.flatMap({ PointSession.of($0) }) else { return }
        var long = PayloadMessage(identifier: "a", sender: "me", isPending: false)
        long.url = String(repeating: "a", count: 5001)
        var item = PayloadItem(.message)
        item.message = long
        var items = [item]
        item.message = PayloadMessage(identifier: "", sender: "me", isPending: false)
        items.append(item)
        long.url = nil
        long.session = "no UUID"
        item.message = long
        items.append(item)
        items.append(PayloadItem(.message))
        item = PayloadItem(.text)
        item.text = String(repeating: "a", count: 20_001)
        items.append(item)
        items.append(PayloadItem(.attachment))
        item = PayloadItem(.sticker)
        item.file = try? PointFile(readingAt: Stickers.file("heavy", 200, 200, bytes: 500 * 1024 + 1).path)
        items.append(item)
        items.append(PayloadItem(.unrecognized))
        // One character can have any number of bytes.
        item = PayloadItem(.text)
        item.text = "a" + String(repeating: "\u{301}", count: 20_001)
        items.append(item)
        let words = FileManager.default.temporaryDirectory.appendingPathComponent("words.png")
        try? Data("no image".utf8).write(to: words)
        for file in [words, Stickers.file("wide", 619, 100)] {
            item = PayloadItem(.sticker)
            item.file = try? PointFile(readingAt: file.path)
            items.append(item)
        }
        Task {
            var codes: [Int] = []
            for item in items { codes.append((try? await session.call(InsertPayload(item)).code ?? 0) ?? 99) }
            label.text = "\(codes)"
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
