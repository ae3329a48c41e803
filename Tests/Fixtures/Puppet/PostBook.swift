// PostBook: everything that is posted in this process about its hosts, whomever it is about.

import ExtensionFoundation
import Foundation
import Locks

/// Collects from its first use on.
final class PostBook: Sendable {
    static let shared = PostBook()

    private let seen = Mutex<[String]>([])

    /// Name, the context it is about, and whether there is more to it: one line for each post.
    var posts: [String] { seen.withLock { $0 } }

    private init() {
        for name in [
            NSNotification.Name.NSExtensionHostWillResignActive, .NSExtensionHostDidEnterBackground,
            .NSExtensionHostWillEnterForeground, .NSExtensionHostDidBecomeActive,
        ] {
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [self] post in
                let context = (post.object as? NSExtensionContext)?.description ?? "no context"
                let more = post.userInfo == nil ? "nil" : "\(post.userInfo?.count ?? 0) entries"
                seen.withLock { $0.append("\(name.rawValue) \(context) userInfo: \(more)") }
            }
        }
    }
}
