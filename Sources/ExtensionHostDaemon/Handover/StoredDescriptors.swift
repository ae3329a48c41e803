// StoredDescriptors: what the service manager has kept, until somebody takes it over.

public import LinuxSystem
import Locks

/// Held by whoever sets the daemon up, and taken out once: nobody else may hold a process's descriptors, whose end ends it.
public final class StoredDescriptors: Sendable {
    private let parts: Mutex<[(name: String, descriptor: SharedDescriptor)]>

    public init(_ parts: [(name: String, descriptor: SharedDescriptor)] = []) { self.parts = Mutex(parts) }

    /// By name. The second time there are none.
    func take() -> [String: [SharedDescriptor]] {
        let all = parts.withLock { parts in
            defer { parts = [] }
            return parts
        }
        return Dictionary(grouping: all) { $0.name }.mapValues { $0.map(\.descriptor) }
    }
}
