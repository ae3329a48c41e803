// FolderChanges: notifications of the kernel about changes of folders (inotify(7)).

internal import Glibc

/// A watcher of folders. Only one thread may call it. Watching costs nothing while nothing changes.
public final class FolderChanges {
    /// The changes to watch for in one folder.
    public enum Scope: Sendable {
        /// The folder's own removal and move only.
        case itself
        /// The changes of `itself`, and entries that come or go.
        case names
        /// The changes of `names`, and entries whose content or permissions change.
        case contents

        var mask: UInt32 {
            let own = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
            let names = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
            return switch self {
            case .itself: own
            case .names: own | names
            case .contents: own | names | UInt32(IN_CLOSE_WRITE | IN_ATTRIB)
            }
        }
    }

    /// A change.
    public struct Event: Sendable {
        /// The folder's number, as `watch` gave it.
        public let watch: Int32
        /// The entry concerned; empty for the folder itself.
        public let name: String
        /// Whether the entry came, went, or was replaced.
        public let isPlacement: Bool
        /// Whether the folder is no longer at its path: removed, or moved away.
        public let isGone: Bool
        /// Whether the watch has ended; its number may be reused.
        public let hasEnded: Bool
        /// Whether the kernel's queue overflowed: any change may have happened.
        public let isOverflow: Bool
    }

    private let descriptor: OwnedDescriptor

    /// - Throws: `EMFILE` when the user has as many of these as the system allows (`fs.inotify.max_user_instances`).
    public init() throws(SystemError) {
        let raw = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard raw >= 0 else { throw SystemError("inotify_init1") }
        descriptor = OwnedDescriptor(owning: raw)
    }

    /// The descriptor for polling: readable when there are events. This object owns it.
    public var raw: Int32 { descriptor.raw }

    /// Watches a folder; a folder that is watched already gets the new scope under the same number.
    ///
    /// - Throws: `ENOSPC` when the system allows no more (`fs.inotify.max_user_watches`), `ENOENT`, `ENOTDIR`,
    ///   `EACCES`.
    public func watch(_ folder: String, for scope: Scope) throws(SystemError) -> Int32 {
        let number = inotify_add_watch(descriptor.raw, folder, scope.mask | UInt32(IN_ONLYDIR))
        guard number >= 0 else { throw SystemError("inotify_add_watch") }
        return number
    }

    /// Ends a watch; ignores one that has ended.
    public func end(_ watch: Int32) { _ = inotify_rm_watch(descriptor.raw, watch) }

    /// Returns the changes since the last call; never waits.
    public func events() -> [Event] {
        var events: [Event] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor.raw, $0.baseAddress, $0.count) }
            guard count > 0 else { return events }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                // A record is 16 bytes and its name, padded with zeros (inotify(7)).
                while offset + 16 <= count {
                    let watch = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
                    let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                    let name = bytes[(offset + 16)..<min(offset + 16 + length, count)].prefix { $0 != 0 }
                    events.append(
                        Event(
                            watch: watch, name: String(decoding: name, as: UTF8.self),
                            isPlacement: mask & UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) != 0,
                            isGone: mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) != 0,
                            hasEnded: mask & UInt32(IN_IGNORED) != 0, isOverflow: mask & UInt32(IN_Q_OVERFLOW) != 0))
                    offset += 16 + length
                }
            }
        }
    }
}
