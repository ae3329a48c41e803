// Trial: an extension that shares a link as it should, and others that each do one thing wrong. The principal class
// says which.

import ExtensionFoundation
import Foundation

/// Shares the link in the first attachment, whatever form it comes in.
class GoodLink: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        load(context) { provider, value, error in self.share(value, of: provider, error, context) }
    }

    /// Loads the first attachment by its first type.
    final func load(
        _ context: NSExtensionContext, then: @escaping @Sendable (NSItemProvider, Any?, (any Error)?) -> Void
    ) {
        let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
        guard let provider = items.first?.attachments?.first, let type = provider.registeredTypeIdentifiers.first else {
            return context.cancelRequest(withError: CocoaError(.featureUnsupported))
        }
        provider.loadItem(forTypeIdentifier: type, options: nil) { then(provider, $0, $1) }
    }

    /// Answers with the value as text.
    final func share(_ value: Any?, of provider: NSItemProvider, _ error: (any Error)?, _ context: NSExtensionContext) {
        switch value {
        case let url as URL where url.isFileURL:
            // A host's file is out of reach by its name, and its bytes are not.
            provider.loadDataRepresentation(forTypeIdentifier: provider.registeredTypeIdentifiers[0]) { data, error in
                self.share(data, of: provider, error, context)
            }
        case let url as URL: answer(url.absoluteString, context)
        case let data as Data: answer(String(decoding: data, as: UTF8.self), context)
        case let text as String: answer(text, context)
        default: context.cancelRequest(withError: error ?? CocoaError(.featureUnsupported))
        }
    }

    func answer(_ link: String, _ context: NSExtensionContext) {
        context.completeRequest(returningItems: [Self.item(link)])
    }

    static func item(_ link: String) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.userInfo = ["shared": link]
        return item
    }
}

/// Takes for granted what a browser's hosts give.
final class ForceCasts: GoodLink {
    override func beginRequest(with context: NSExtensionContext) {
        load(context) { _, value, _ in self.answer((value as! URL).absoluteString, context) }
    }
}

/// Looks at bytes, and beyond their end.
final class CrashesOnData: GoodLink {
    override func beginRequest(with context: NSExtensionContext) {
        load(context) { provider, value, error in
            if let data = value as? Data { print("byte \(data[data.count])") }
            self.share(value, of: provider, error, context)
        }
    }
}

/// Forgets the answer.
final class NeverCompletes: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) { print("shared \(link)") }
}

/// Answer after a time of the system's, which no virtual clock moves: longer than anybody waits for what cannot come
/// any more, but for the timer of a queue, which nobody sees.
final class SleepsByTask: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) {
        Task {
            try await Task.sleep(for: .milliseconds(3500))
            super.answer(link, context)
        }
    }
}

final class SleepsByThread: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) {
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 3.5)
            super.answer(link, context)
        }
    }
}

final class SleepsByTimer: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) {
        DispatchQueue.global().asyncAfter(deadline: .now() + 2) { super.answer(link, context) }
    }
}

/// As an event loop does that has no descriptor for its times.
final class SleepsByPolling: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) {
        Thread.detachNewThread {
            _ = poll(nil, 0, 4500)
            super.answer(link, context)
        }
    }
}

/// Whoever is at the other end has the answer in its own time; here the extension itself, where nobody sees it.
final class AsksAService: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            return context.cancelRequest(withError: CocoaError(.fileNoSuchFile))
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 4.5) { [ends] in
            for end in ends { close(end) }
            super.answer(link, context)
        }
    }
}

final class SleepsInAChild: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sleep")
        child.arguments = ["3.5"]
        child.terminationHandler = { _ in super.answer(link, context) }
        do { try child.run() } catch { context.cancelRequest(withError: error) }
    }
}

/// Answers where the work begins, and where it ends.
final class CompletesTwice: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) {
        super.answer(link, context)
        super.answer(link, context)
    }
}

/// Works on after its answer, also when it is told to stop.
final class IgnoresExpiry: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) {
        context.completeRequest(returningItems: [Self.item(link)]) { expired in
            if !expired { DispatchSemaphore(value: 0).wait() }
        }
    }
}

/// Keeps the first link for all requests of its process.
final class KeepsState: GoodLink {
    private static var link: String?

    override func answer(_ link: String, _ context: NSExtensionContext) {
        if Self.link == nil { Self.link = link }
        super.answer(Self.link ?? "", context)
    }
}

/// Knows one context only, that of the request begun last.
final class NotForTwo: GoodLink {
    private static var context: NSExtensionContext?

    override func beginRequest(with context: NSExtensionContext) {
        Self.context = context
        super.beginRequest(with: context)
    }

    override func answer(_ link: String, _ context: NSExtensionContext) {
        guard let context = Self.context else { return }
        super.answer(link, context)
    }
}

/// A program that ends when its work is done.
final class ExitsInstead: GoodLink {
    override func answer(_ link: String, _ context: NSExtensionContext) {
        print("shared \(link)")
        exit(0)
    }
}

/// Describes bytes in place of reading them.
final class WrongItem: GoodLink {
    override func beginRequest(with context: NSExtensionContext) {
        load(context) { provider, value, error in
            if let data = value as? Data { return self.answer("\(data.count) bytes", context) }
            self.share(value, of: provider, error, context)
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
