// Racer: an extension with the mistakes that authors make about the order of things, one an act, for the tests of the
// explorer.

import ExtensionFoundation
import Foundation

/// The first item's `userInfo["do"]` names the act. Each loads both attachments of the second item and answers with
/// what they hold.
final class Racer: NSObject, NSExtensionRequestHandling {
    private static let acts: [String: any Act.Type] = [
        "completesTwice": CompletesTwice.self, "forcesCleared": ForcesCleared.self, "ignoresExpiry": IgnoresExpiry.self,
        "writesInBackground": WritesInBackground.self, "keepsLock": KeepsLock.self, "sharesState": SharesState.self,
        "keepsCancelled": KeepsCancelled.self, "trustsFile": TrustsFile.self, "firstIsEnough": FirstIsEnough.self,
        "deadlocks": Deadlocks.self, "refusesWhileFinishing": RefusesWhileFinishing.self,
        "staysPaused": StaysPaused.self,
        "sleeps": Sleeps.self, "sound": Sound.self, "soundInBackground": SoundInBackground.self,
    ]

    func beginRequest(with context: NSExtensionContext) {
        let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
        let providers = items.flatMap { $0.attachments ?? [] }
        guard let name = items.first?.userInfo?["do"] as? String, let act = Self.acts[name], providers.count == 2 else {
            return context.cancelRequest(withError: CocoaError(.featureUnsupported))
        }
        act.init(Request(context, providers)).begin()
    }
}

/// What an act does with its request.
protocol Act: AnyObject, Sendable {
    init(_ request: Request)
    func begin()
}

/// A request in an act's hands.
final class Request: Sendable {
    let context: NSExtensionContext
    private let providers: [NSItemProvider]

    init(_ context: NSExtensionContext, _ providers: [NSItemProvider]) {
        (self.context, self.providers) = (context, providers)
    }

    /// Loads attachment 0 or 1; nil when that failed.
    func load(_ index: Int, _ body: @escaping @Sendable (String?) -> Void) {
        providers[index].loadItem(forTypeIdentifier: "public.plain-text", options: nil) { value, _ in
            body(value as? String)
        }
    }

    func complete(_ words: String, _ handler: (@Sendable (Bool) -> Void)? = nil) {
        let item = NSExtensionItem()
        item.userInfo = ["words": words]
        context.completeRequest(returningItems: [item], completionHandler: handler)
    }

    func cancel() { context.cancelRequest(withError: CocoaError(.userCancelled)) }

    /// Calls `body` each time the host does so, until the process ends.
    func on(_ name: NSNotification.Name, _ body: @escaping @Sendable () -> Void) {
        let own = context.description
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { post in
            if (post.object as? NSExtensionContext)?.description == own { body() }
        }
    }

    /// In its container.
    static let file = (getenv("HOME").map { String(cString: $0) } ?? "/tmp") + "/Documents/draft"
}

@main struct Main { static func main() { NSExtensionMain() } }
