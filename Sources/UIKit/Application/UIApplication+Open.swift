// UIApplication+Open: the opening of URLs by the application at the end of the responder chain.

import ExtensionFoundation
public import Foundation
import Locks

/// The request that an extension serves, for its application object. If it serves several, the latest one counts.
final class ServedRequest: Sendable {
    private struct Held: @unchecked Sendable { weak var context: NSExtensionContext? }  // safe to use from any thread
    private let held = Mutex(Held())

    static let shared = ServedRequest()

    var context: NSExtensionContext? {
        get { held.withLock { $0 }.context }
        set {
            let new = Held(context: newValue)
            held.withLock { $0 = new }
        }
    }
}

extension UIApplication {
    /// An option for opening a URL. It has no effect.
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var universalLinksOnly: OpenExternalURLOptionsKey {
            OpenExternalURLOptionsKey(rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
        }
    }

    /// The URL of the app's settings. Nothing opens it here.
    public nonisolated static var openSettingsURLString: String { "app-settings:" }

    /// Opens a URL.
    ///
    /// On the application object at the end of an extension's responder chain, this does what
    /// `NSExtensionContext.open(_:)` does; an app opens nothing here. The handler is called on the main queue. If
    /// nothing was opened, it gets false, and one line of the log says why.
    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        Self.open(url) { isOpened in
            guard let completionHandler else { return }
            DispatchQueue.main.async { completionHandler(isOpened) }
        }
    }

    @discardableResult public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
        await withCheckedContinuation { continuation in Self.open(url) { continuation.resume(returning: $0) } }
    }

    /// Whether a program can open the URL.
    ///
    /// True in an extension alone, whose point and app decide when the URL is opened.
    public func canOpenURL(_ url: URL) -> Bool { ServedRequest.shared.context != nil }

    /// Opens a URL, in the older form. True if the attempt was made.
    @discardableResult public func openURL(_ url: URL) -> Bool {
        Self.open(url) { _ in }
        return ServedRequest.shared.context != nil
    }

    /// Opens a URL. Safe to call from any thread: a selector may be sent on any.
    nonisolated fileprivate static func open(_ url: URL, _ completion: @escaping @Sendable (Bool) -> Void) {
        guard let context = ServedRequest.shared.context else {
            NSLog("%@", "open(\(url)) opened nothing: no program here opens URLs, and this process serves no request")
            return completion(false)
        }
        context.open(url, completionHandler: completion)
    }
}

/// The methods by which code of all ages opens its app from an extension.
final class __Methods_UIApplication: _MethodTable {
    static var methods: [_Method] {
        // Apple's name of the newer method, and the name by Swift's own rule.
        let newer = ["openURL:options:completionHandler:", "open:options:completionHandler:"].map { name in
            _Method(name) { _, arguments in
                let handler = arguments[2, Any?.self]
                // The handler is called on the main queue, as it may expect.
                nonisolated(unsafe) let call = handler as? (Bool) -> Void
                open(arguments) { isOpened in DispatchQueue.main.async { call?(isOpened) } }
                return nil
            }
        }
        return newer + [
            _Method("openURL:") { _, arguments in
                open(arguments) { _ in }
                return true
            },
            _Method("canOpenURL:") { _, _ in ServedRequest.shared.context != nil },
        ]
    }

    private static func open(_ arguments: _Arguments, _ completion: @escaping @Sendable (Bool) -> Void) {
        let address = arguments[0, Any.self]
        UIApplication.open((address as? NSURL).map { $0 as URL } ?? arguments[0, URL.self], completion)
    }
}
