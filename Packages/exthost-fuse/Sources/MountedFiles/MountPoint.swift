// MountPoint: the folder at which files are mounted, and what the machine needs for it.

import CFuse
import Glibc
import LinuxDescriptors
import LinuxSystem
import Synchronization

/// A folder for a mount.
final class MountPoint: Sendable {
    /// The absolute path without symbolic links.
    let path: String
    /// The device of the mount, by which it is recognized in the list of mounts.
    private let device = Mutex<String?>(nil)

    init(_ text: String) throws(MountFailure) {
        var facts = stat()
        guard stat(text, &facts) == 0, let resolved = realpath(text, nil) else {
            if errno == ENOTCONN {
                throw MountFailure(
                    .noMountPoint, "\(text) is a mount whose program has ended",
                    remedy: "Unmount it: fusermount3 -u \(text)")
            }
            throw MountFailure(
                .noMountPoint, "\(text) cannot be used: \(String(cString: strerror(errno)))",
                remedy: "Make the folder first: mkdir \(text)")
        }
        path = String(cString: resolved)
        free(resolved)
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw MountFailure(.noMountPoint, "\(path) is no folder", remedy: "Name a folder")
        }
    }

    // MARK: - The machine

    /// Throws what the machine lacks.
    static func checkMachine() throws(MountFailure) {
        if let reason = exthost_fuse_load() {
            throw MountFailure(
                .unavailable, "libfuse3 cannot be used: \(String(cString: reason))", remedy: "apt install libfuse3-3")
        }
        let file = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard file >= 0 else {
            let reason = String(cString: strerror(errno))
            throw MountFailure(
                .unavailable, "/dev/fuse cannot be opened: \(reason)",
                remedy: "modprobe fuse; in a container, give it this device")
        }
        close(file)
    }

    private static let lines = Mutex<[String]>([])

    /// Collects what libfuse says, which it would print otherwise.
    static func collectLibraryLog() {
        lines.withLock { $0 = [] }
        exthost_fuse_log { line in
            guard let line else { return }
            MountPoint.lines.withLock { if $0.count < 20 { $0.append(String(cString: line)) } }
        }
    }

    static func libraryLog() -> String {
        let text = lines.withLock { $0.joined(separator: "; ") }
        return text.isEmpty ? "it gives no reason" : text
    }

    // MARK: - The list of mounts

    /// The device of the topmost mount at a path, in the text of `/proc/self/mountinfo`.
    static func device(at path: String, in text: String) -> String? {
        var found: String?
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 5, unescaped(fields[4]) == path else { continue }
            found = String(fields[2])
        }
        return found
    }

    /// The text of a field, in which a backslash and three digits stand for a byte.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.first {
            if byte == 0x5C, rest.count >= 4,
                let value = UInt8(String(decoding: rest.dropFirst().prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(4)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private var currentDevice: String? {
        guard let text = Self.contents(of: "/proc/self/mountinfo") else { return nil }
        return Self.device(at: path, in: text)
    }

    private static func contents(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, bytes.count < 16 << 20 else { break }
            bytes += part.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Notes that the topmost mount at the path is ours.
    func noteMount() { device.withLock { $0 = currentDevice } }

    /// Unmounts the folder, also while programs use it. Returns when it is done or the time has passed.
    ///
    /// The kernel may first write what programs have mapped, so the requests must be served meanwhile.
    func unmount(within limit: Duration, log: BoundedLog) async {
        // Whatever somebody has mounted above is not ours to unmount.
        guard let ours = device.withLock({ $0 }), currentDevice == ours else { return }
        let path = path
        let isDone = Latch()
        do {
            try startThread(named: "fuse-unmount") {
                // The kernel must not wait for this thread's descriptors if the program is killed.
                _ = exthost_fuse_leave_descriptors(-1)
                let failure = umount2(path, Int32(MNT_DETACH | UMOUNT_NOFOLLOW)) == 0 ? 0 : errno
                isDone.fire(failure)
            }
        } catch {
            return log("no thread to unmount \(path): \(error)")
        }
        let failure = await isDone.value(within: limit)
        switch failure {
        case nil: log("the kernel has not unmounted \(path) within \(limit)")
        case 0, EINVAL, ENOENT: break
        default: unmountAsUser(log)
        }
    }

    /// Unmounts by fusermount3, which is for users without rights.
    private func unmountAsUser(_ log: BoundedLog) {
        for program in ["/usr/bin/fusermount3", "/bin/fusermount3"] where access(program, X_OK) == 0 {
            var attributes = SpawnAttributes(
                executable: program, arguments: ["-u", "-z", "-q", "--", path], environment: [])
            attributes.onDaemonExit = .keep
            guard let process = try? spawn(attributes) else { continue }
            var descriptor = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
            while poll(&descriptor, 1, 10_000) < 0, errno == EINTR {}
            _ = waitpid(process.pid, nil, WNOHANG)
            return
        }
        log("\(path) stays mounted: there is no fusermount3, and the kernel lets nobody else unmount it")
    }
}

/// A value that a thread sets once, and that a task waits for.
final class Latch: Sendable {
    private struct State {
        var value: Int32?
        var waiting: CheckedContinuation<Int32?, Never>?
    }

    private let state = Mutex(State())

    func fire(_ value: Int32) {
        let waiting = state.withLock { state in
            state.value = value
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: value)
    }

    /// The value; nil if it has not come within the time.
    func value(within limit: Duration) async -> Int32? {
        let timer = Task { [self] in
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(returning: nil)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let value = state.withLock { state in
                if state.value == nil { state.waiting = continuation }
                return state.value
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
