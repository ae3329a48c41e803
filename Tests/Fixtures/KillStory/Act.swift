// Act: what the puppet is told to do in the story and under load.

import ExtensionHost
import Foundation

enum Act: Sendable {
    /// It notes that it has begun, loads, and completes with what it was given.
    case noteAndLoad
    /// Its host cancels it.
    case hang
    /// It completes, and has work after that.
    case handler
    /// Its daemon is stopped.
    case stay
    /// It is cancelled by the extension, which does not know this act.
    case refuse
    /// Its process ends before an answer, with status 3.
    case exit

    static let loaded = "https://example.org/value"

    /// How it ends where no daemon is lost.
    var cause: Cause {
        switch self {
        case .noteAndLoad, .handler: .completed
        case .hang: .cancelledByHost
        case .stay: .daemonStopping
        case .refuse: .cancelledByExtension
        case .exit: .exitedEarly
        }
    }

    /// - Parameter notes: where the puppet notes what it begins.
    func items(notes: String) -> [NSExtensionItem] {
        let item = NSExtensionItem()
        switch self {
        case .noteAndLoad:
            item.userInfo = ["do": "noteAndLoad", "argument": notes]
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
                completion?(NSURL(string: Self.loaded), nil)
            }
            item.attachments = [provider]
        case .hang, .stay: item.userInfo = ["do": "hang", "argument": ""]
        case .refuse: item.userInfo = ["do": "refuse", "argument": ""]
        case .exit: item.userInfo = ["do": "exit", "argument": "3"]
        case .handler: item.userInfo = ["do": "handler", "argument": "0.02"]
        }
        return [item]
    }
}
