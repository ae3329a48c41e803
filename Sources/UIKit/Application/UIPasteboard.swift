// UIPasteboard: a pasteboard within this process.

public import Foundation
package import Locks

/// A pasteboard. Safe to use from any thread. Ours: no other process sees its content.
public final class UIPasteboard: NSObject, @unchecked Sendable {  // all state is behind the one Mutex
    public struct Name: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public static let general = UIPasteboard()
    /// Whether the process may use pasteboards. A keyboard may not without full access: it reads nothing, and its
    /// changes have no effect (documented).
    package static let isAvailable = Atomic(true)
    public static var changedNotification: NSNotification.Name {
        NSNotification.Name("UIPasteboardChangedNotification")
    }

    private struct State: @unchecked Sendable {  // values that nobody changes
        var items: [[String: Any]] = []
        var count = 0
    }
    private let state = Mutex(State())

    /// The items, each with its values by their type identifiers.
    public var items: [[String: Any]] {
        get { Self.isAvailable.load(ordering: .relaxed) ? state.withLock { $0 }.items : [] }
        set {
            guard Self.isAvailable.load(ordering: .relaxed) else { return }
            let new = State(items: newValue)
            state.withLock { $0 = State(items: new.items, count: $0.count + 1) }
            NotificationCenter.default.post(name: Self.changedNotification, object: self)
        }
    }
    public var changeCount: Int { state.withLock { $0.count } }
    public var numberOfItems: Int { items.count }

    private func first<Value>(_ type: Value.Type) -> Value? {
        items.lazy.compactMap { $0.values.lazy.compactMap { $0 as? Value }.first }.first
    }

    public var string: String? {
        get { first(String.self) }
        set { items = newValue.map { [["public.utf8-plain-text": $0]] } ?? [] }
    }
    public var strings: [String]? {
        get { items.compactMap { $0.values.lazy.compactMap { $0 as? String }.first } }
        set { items = (newValue ?? []).map { ["public.utf8-plain-text": $0] } }
    }
    public var url: URL? {
        get { first(URL.self) }
        set { items = newValue.map { [["public.url": $0]] } ?? [] }
    }
    public var image: UIImage? {
        get { first(UIImage.self) }
        set { items = newValue.map { [["public.image": $0]] } ?? [] }
    }
    public var hasStrings: Bool { string != nil }
    public var hasURLs: Bool { url != nil }
    public var hasImages: Bool { image != nil }

    public func setValue(_ value: Any, forPasteboardType type: String) { items = [[type: value]] }
    public func setData(_ data: Data, forPasteboardType type: String) { items = [[type: data]] }
    public func value(forPasteboardType type: String) -> Any? { items.first?[type] }
    public func data(forPasteboardType type: String) -> Data? { items.first?[type] as? Data }
    public func contains(pasteboardTypes: [String]) -> Bool {
        items.contains { item in pasteboardTypes.contains { item[$0] != nil } }
    }
}
