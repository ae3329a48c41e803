// ShareLater: a Share extension that answers only when its host is active again.

import ExtensionFoundation
import Foundation
import Locks
import UniformTypeIdentifiers

final class ShareLater: NSObject, NSExtensionRequestHandling {
    private static let announcements: [NSNotification.Name] = [
        .NSExtensionHostWillResignActive, .NSExtensionHostDidEnterBackground, .NSExtensionHostWillEnterForeground,
        .NSExtensionHostDidBecomeActive,
    ]

    func beginRequest(with context: NSExtensionContext) {
        let story = Story()
        for name in Self.announcements {
            _ = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { notification in
                story.note(notification.name)
                if notification.name == .NSExtensionHostDidBecomeActive { story.complete(context) }
            }
        }
        let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
        guard let provider = items.flatMap({ $0.attachments ?? [] }).first else {
            return context.cancelRequest(withError: CocoaError(.userCancelled))
        }
        provider.loadItem(forTypeIdentifier: UTType.url.identifier, options: nil) { value, error in
            story.load((value as? URL)?.lastPathComponent ?? "nothing", context)
        }
    }
}

/// The progress of the request so far.
///
/// The request is complete when the item is loaded and the host is back, in either order.
private final class Story: Sendable {
    private struct State {
        var loaded: String?
        var announced: [String] = []
        var hostIsBack = false
    }

    private let state = Mutex(State())

    func note(_ name: NSNotification.Name) {
        print("the host announced", name.rawValue)
        state.withLock { $0.announced.append(name.rawValue) }
    }

    func load(_ value: String, _ context: NSExtensionContext) {
        print("loaded", value)
        let isBack = state.withLock { state in
            state.loaded = value
            return state.hostIsBack
        }
        if isBack { complete(context) }
    }

    func complete(_ context: NSExtensionContext) {
        let (loaded, announced) = state.withLock { state in
            state.hostIsBack = true
            return (state.loaded, state.announced)
        }
        guard let loaded else { return }
        let result = NSExtensionItem()
        result.userInfo = ["shared": loaded, "announced": announced]
        context.completeRequest(returningItems: [result])
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
