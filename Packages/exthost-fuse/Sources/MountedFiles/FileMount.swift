// FileMount: a folder of this machine that shows the files of a provider, from its mounting to its end.

import CFuse
import Glibc
public import PointHosts
import LinuxDescriptors
import Synchronization

/// The mounted files of a provider.
///
/// The kernel's requests are read by threads, so the folder is served as long as the process runs. It ends by `end()`,
/// when somebody unmounts it, or when the provider's stream of changes ends.
public final class FileMount: Sendable {
    /// The way in which files are mounted.
    public struct Options: Sendable {
        /// The time within which each operation is answered.
        public var limit: Duration = .seconds(30)
        /// Whether programs may only read.
        public var isReadOnly = false
        /// The name of the mounted thing in the list of mounts.
        public var source = "exthost"
        /// The folder in which the provider's host has its copies of files: its space is that of the mount.
        public var store: String
        /// The most items of a folder.
        public var mostItems = 1_000_000
        /// The number of threads that read requests. Reading and writing of contents happens on them.
        public var readers = 4

        /// Makes the usual options.
        public init(store: String) { self.store = store }
    }

    /// The cause for which a mount ended.
    public enum Ending: Sendable, Hashable {
        /// `end()` was called.
        case requested
        /// Somebody unmounted the folder.
        case unmounted
        /// The provider's files have ended.
        case providerEnded
    }

    /// The threads that read requests, and those that wait for their end.
    private struct State {
        var readers = 0
        var hasStarted = false
        var isFinishing = false
        var isGone = false
        var ending: (Ending, undelivered: Int)?
        var waiting: [CheckedContinuation<Void, Never>] = []
        var readersGone: [CheckedContinuation<Void, Never>] = []
    }

    /// The session of libfuse.
    ///
    /// Unchecked: libfuse locks it. It is freed when no thread uses it any more.
    private struct Session: @unchecked Sendable { let raw: OpaquePointer }

    private let system: FileSystem
    private let session: Session
    private let mountpoint: MountPoint
    private let log: BoundedLog
    private let state = Mutex(State())
    private let stop: WakeDescriptor

    /// Throws what this machine lacks for any mount: the library, or the device.
    public static func checkMachine() throws(MountFailure) { try MountPoint.checkMachine() }

    /// Mounts files.
    ///
    /// - Parameters:
    ///   - path: a folder. What is in it is hidden while the files are mounted.
    ///   - log: gets lines that say why something failed, or is not shown. Any thread calls it.
    public static func mount(
        _ files: any ProvidedFiles, at path: String, options: Options, log: @escaping @Sendable (String) -> Void
    ) async throws(MountFailure) -> FileMount {
        try MountPoint.checkMachine()
        let mountpoint = try MountPoint(path)
        let root: ProvidedItem
        do { root = try await files.item(files.root) } catch {
            throw MountFailure(
                .provider, "The provider does not tell its top folder: \(error.reason)",
                remedy: "exthostctl list shows whether the extension can be used")
        }
        guard root.kind == .folder else {
            throw MountFailure(
                .provider, "The top item of the provider is no folder", remedy: "This is a fault of the extension")
        }
        let mount: FileMount
        do {
            let log = BoundedLog(log)
            mount = try FileMount(
                FileSystem(files, root: root, options: options, log: log), at: mountpoint, options: options, log: log)
        } catch let failure as MountFailure {
            throw failure
        } catch {
            throw MountFailure(
                .refused, "\(path) cannot be mounted: \(error)", remedy: "exthostctl doctor may say more")
        }
        return mount
    }

    private init(_ system: FileSystem, at mountpoint: MountPoint, options: Options, log: BoundedLog) throws {
        (self.system, self.mountpoint, self.log) = (system, mountpoint, log)
        stop = try WakeDescriptor()
        let source = options.source.map { ",\\ \t\n".contains($0) ? "_" : String($0) }.joined().prefix(100)
        var words = ["exthost-fuse", "-o", "fsname=\(source),subtype=exthost,default_permissions"]
        if options.isReadOnly { words[2] += ",ro" }
        var table = Callbacks.table()
        let strings = words.map { strdup($0) }
        defer { for string in strings { free(string) } }
        let pointers = strings.map { UnsafePointer($0) }
        // The session lasts as long as this object, which has the file system.
        let context = Unmanaged.passUnretained(system).toOpaque()
        MountPoint.collectLibraryLog()
        guard let raw = exthost_fuse_session_new(pointers, Int32(pointers.count), &table, context) else {
            throw MountFailure(
                .refused, "libfuse refuses to begin: \(MountPoint.libraryLog())", remedy: "Another version may help")
        }
        session = Session(raw: raw)
        guard exthost_fuse_session_mount(raw, mountpoint.path) == 0 else {
            let reason = MountPoint.libraryLog()
            exthost_fuse_session_destroy(raw)
            throw MountFailure(
                .refused, "The kernel does not mount at \(mountpoint.path): \(reason)",
                remedy: "apt install fuse3 has fusermount3, which mounts for users; or run it in unshare -Urm")
        }
        mountpoint.noteMount()
        let device = exthost_fuse_session_fd(raw)
        _ = fcntl(device, F_SETFL, fcntl(device, F_GETFL) | O_NONBLOCK)
        try start(device, readers: options.readers)
    }

    private func start(_ device: Int32, readers: Int) throws {
        for _ in 0..<max(readers, 1) {
            state.withLock { $0.readers += 1 }
            try startThread(named: "fuse-reader") { [self] in read(device) }
        }
        try system.invalidation.start(device: device, nodes: system.nodes)
        // From here on nothing that the provider tells is missed.
        let changes = system.files.changes()
        Task { [self] in
            await system.follow(changes)
            await finish(.providerEnded)
        }
    }

    // MARK: - Reading

    private func read(_ device: Int32) {
        var buffer = fuse_buf()
        defer { free(buffer.mem) }
        while !exthost_fuse_session_exited(session.raw) {
            let count = exthost_fuse_session_receive_buf(session.raw, &buffer)
            if count > 0 {
                exthost_fuse_session_process_buf(session.raw, &buffer)
            } else if count == -EAGAIN {
                var descriptors = [
                    pollfd(fd: device, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: stop.raw, events: Int16(POLLIN), revents: 0),
                ]
                _ = poll(&descriptors, 2, -1)
                if descriptors[1].revents != 0 { break }
            } else if count != -EINTR {
                break
            }
        }
        let (waiting, isUnmounted) = state.withLock { state in
            state.readers -= 1
            guard state.readers == 0 else { return ([CheckedContinuation<Void, Never>](), false) }
            defer { state.readersGone = [] }
            return (state.readersGone, !state.isFinishing)
        }
        for continuation in waiting { continuation.resume() }
        // The others are woken, too: the kernel tells each that the mount is gone.
        if isUnmounted { Task { [self] in await finish(.unmounted) } }
    }

    private func waitForReaders() async {
        await withCheckedContinuation { continuation in
            let areGone = state.withLock { state in
                if state.readers == 0 { return true }
                state.readersGone.append(continuation)
                return false
            }
            if areGone { continuation.resume() }
        }
    }

    // MARK: - The end

    /// Unmounts the folder, delivers all changes, and waits until both is done, at most two time limits.
    ///
    /// A program that has the folder open gets errors from then on.
    public func end() async {
        await finish(.requested)
        _ = await ended()
    }

    /// Waits for the end, and returns its cause and the number of files whose changes the provider did not accept.
    public func ended() async -> (Ending, undelivered: Int) {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.ending != nil { return true }
                state.waiting.append(continuation)
                return false
            }
            if hasEnded { continuation.resume() }
        }
        return state.withLock { $0.ending } ?? (.requested, 0)
    }

    private func finish(_ ending: Ending) async {
        let isFirst = state.withLock { state in
            defer { state.isFinishing = true }
            return !state.isFinishing
        }
        guard isFirst else { return }
        if ending != .unmounted {
            // The kernel writes mapped contents now, so the readers must still run.
            await mountpoint.unmount(within: system.options.limit, log: log)
        }
        for open in system.nodes.allContents() where open.contents.isDirty {
            system.operations.start(nil, "delivering \(open.name)") { [system] in
                try await open.contents.deliver()
                system.nodes.noteMutation()
                return .done
            }
        }
        await system.operations.waitUntilIdle()
        system.invalidation.end()
        stop.signal()
        await waitForReaders()
        // Contents that programs have open still: nobody will close them.
        for open in system.nodes.allContents() where system.nodes.abandon(open.number) {
            let isDirty = open.contents.isDirty
            system.operations.start(nil, "closing \(open.name)") { [system] in
                do { try await open.contents.close() } catch {
                    if isDirty { system.undelivered.add(1, ordering: .relaxed) }
                    throw OperationFailure(error)
                }
                return .done
            }
        }
        await system.operations.waitUntilIdle()
        system.operations.end()
        exthost_fuse_session_destroy(session.raw)
        let undelivered = system.undelivered.load(ordering: .relaxed)
        let waiting = state.withLock { state in
            state.ending = (ending, undelivered)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
