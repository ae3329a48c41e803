// ServedAttachment: an attachment of a fake host whose value a closure makes, with a count of its loads.

public import ExtensionHost
import ExtensionItems
import Foundation
import Locks

/// An attachment that is made when an extension loads it. Safe to use from any thread.
public final class ServedAttachment: Sendable {
    /// The provider, for a custom item.
    public let provider: NSItemProvider
    private let count: LoadCount

    init(_ types: [String], activity: Activity, _ make: @escaping @Sendable (String) async throws -> any Sendable) {
        let count = LoadCount()
        self.count = count
        provider = NSItemProvider()
        for type in types {
            provider.registerItem(forTypeIdentifier: type) { completion, _, _ in
                count.add(type)
                // A virtual clock waits until the closure has ended.
                activity.enter()
                Task.detached {
                    do {
                        let value = try await make(type)
                        completion?(value, nil)
                    } catch {
                        completion?(nil, error)
                    }
                    activity.leave()
                }
            }
        }
    }

    /// An item with this attachment alone.
    public var item: NSExtensionItem { .attachment(provider) }

    /// The number of loads by extensions, of all its types.
    public var loads: Int { count.all }

    /// Returns the number of loads of this type.
    public func loads(of type: String) -> Int { count.of(type) }
}

private final class LoadCount: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ type: String) { counts.withLock { $0[type, default: 0] += 1 } }

    var all: Int { counts.withLock { $0.values.reduce(0, +) } }

    func of(_ type: String) -> Int { counts.withLock { $0[type, default: 0] } }
}
