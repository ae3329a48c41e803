// StoredDescriptors: the descriptors that the service manager has stored, until the daemon takes them.

public import LinuxSystem
import Locks

/// The descriptors of the store, which can be taken once.
///
/// The setup of the daemon holds them until then. Nobody else may hold a process's descriptors, because their end ends
/// the process.
public final class StoredDescriptors: Sendable {
    private let parts: Mutex<[(name: String, descriptor: SharedDescriptor)]>

    public init(_ parts: [(name: String, descriptor: SharedDescriptor)] = []) { self.parts = Mutex(parts) }

    /// Returns the descriptors by name; a second call returns none.
    func take() -> [String: [SharedDescriptor]] {
        let all = parts.withLock { parts in
            defer { parts = [] }
            return parts
        }
        return Dictionary(grouping: all) { $0.name }.mapValues { $0.map(\.descriptor) }
    }
}
