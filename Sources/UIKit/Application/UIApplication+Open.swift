// UIApplication+Open: opening URLs by the application at the end of the responder chain.

import ExtensionFoundation
public import Foundation
import Locks

/// The request that an extension serves, for its application object. The latest, where it serves several.
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
    /// How a URL is opened. Carried only.
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var universalLinksOnly: OpenExternalURLOptionsKey {
            OpenExternalURLOptionsKey(rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
        }
    }

    /// Nobody opens it here.
    public nonisolated static var openSettingsURLString: String { "app-settings:" }

    /// Opens a URL. Of the application object that an extension finds at the end of its responder chain this does what
    /// `NSExtensionContext.open(_:)`
    /// does; an app opens nothing here. The handler is called on the main queue: with false where nothing was opened,
    /// and then one line of the log says
    /// why.
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

    /// Whether there is a program that opens it: true of an extension alone, whose point and app decide when it is
    /// opened.
    public func canOpenURL(_ url: URL) -> Bool { ServedRequest.shared.context != nil }

    /// The older form. True where it is tried.
    @discardableResult public func openURL(_ url: URL) -> Bool {
        Self.open(url) { _ in }
        return ServedRequest.shared.context != nil
    }

    /// Any thread: a selector may be sent on one.
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
        // Apple's name of the newer one, and that which Swift's own rule makes.
        let newer = ["openURL:options:completionHandler:", "open:options:completionHandler:"].map { name in
            _Method(name) { _, arguments in
                let handler = arguments[2, Any?.self]
                // It is called on the main queue, as it may expect.
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
