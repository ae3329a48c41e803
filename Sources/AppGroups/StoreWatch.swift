// StoreWatch: a thread that detects the changes of other processes to shared defaults.

internal import ExtensionWire
internal import Glibc
internal import LinuxDescriptors
internal import Locks

/// The one thread that watches all stores of a process. The first store starts it.
///
/// It sleeps in the kernel (inotify(7)) while nothing changes. Without inotify watches it polls once a second.
final class StoreWatch: Sendable {
    static let shared = StoreWatch()

    /// The interval of polling without inotify, in milliseconds.
    private static let period: Int32 = 1000

    private struct Listener: Sendable {
        let store: GroupStore
        let heard: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Listener] = []
        var isRunning = false
    }

    private final class Wake: Sendable {
        let descriptor: WakeDescriptor

        init() throws(SystemError) { descriptor = try WakeDescriptor() }
    }

    private let state = Mutex(State())
    /// The descriptor that wakes the thread; nil if the process has no descriptor left.
    ///
    /// The thread then polls once a second.
    private let wake: Wake?
    private let isWatching: Bool

    /// - Parameter watching: `false` simulates a kernel without inotify watches.
    init(watching: Bool = true) {
        isWatching = watching
        wake = try? Wake()
    }

    /// Calls `heard` on the watch's thread after each change by another process; several changes in quick succession
    /// may be one call.
    func watch(_ store: GroupStore, heard: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.listeners.append(Listener(store: store, heard: heard))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts {
            do throws(SystemError) {
                try startThread(named: "shared-defaults") { self.run() }
            } catch {
                StandardStreams.writeError(
                    "exthost: this process receives no changes of shared defaults by other processes: \(error)\n")
            }
        } else {
            wake?.descriptor.signal()
        }
    }

    private func run() {
        let changes = isWatching ? try? FolderChanges() : nil
        var watched: [Int32: Int] = [:]
        while true {
            let listeners = state.withLock { $0.listeners }
            // These are the folders that are not watched yet, or were not there.
            var allWatched = changes != nil
            for (place, listener) in listeners.enumerated() where !watched.values.contains(place) {
                if let number = try? changes?.watch(listener.store.file.folderPath, for: .names) {
                    watched[number] = place
                } else {
                    allWatched = false
                }
            }
            // The check follows the start of the watch, so that no change is missed.
            for listener in listeners where listener.store.hasNews() { listener.heard() }
            wait(changes, bounded: !allWatched)
            for event in changes?.events() ?? [] where event.hasEnded || event.isGone {
                if !event.hasEnded { changes?.end(event.watch) }
                watched[event.watch] = nil
            }
        }
    }

    private func wait(_ changes: FolderChanges?, bounded: Bool) {
        var descriptors: [pollfd] = []
        if let changes { descriptors.append(pollfd(fd: changes.raw, events: Int16(POLLIN), revents: 0)) }
        if let wake { descriptors.append(pollfd(fd: wake.descriptor.raw, events: Int16(POLLIN), revents: 0)) }
        let isBounded = bounded || wake == nil
        _ = poll(&descriptors, nfds_t(descriptors.count), isBounded ? Self.period : -1)
        wake?.descriptor.drain()
    }
}
