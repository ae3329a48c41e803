// Denial: the refusal of a confined program's call, and a remedy for its author.

internal import Glibc

/// A refusal as exthost-init reports it (notices.h there): each once, and at most 64 of a process.
public struct Denial: Sendable, Hashable {
    /// The layer: `namespaces`, `landlock` or `seccomp`.
    public let layer: String
    /// The system call, by the name of its man page.
    public let call: String
    /// The subject: a path, the family and type of a socket, flags; empty if the call says it all.
    ///
    /// At most some 500 bytes, untrusted.
    public let about: String
    /// Whether a file would have been changed or made.
    public let writes: Bool

    /// The size of the receive buffer; it is larger than the largest notice.
    static let packetLimit = 1024

    /// The kind of thing that was refused.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case file, metadata, network, socket, tracing, mount, namespace, keyring, kernel, clock, sharedObject, priority,
            terminal,
            program, other
    }

    public init(layer: String, call: String, about: String, writes: Bool = false) {
        self.writes = writes
        self.layer = layer
        self.call = call
        self.about = about
    }

    /// Reads a packet from the status socket; nil if it is no denial.
    init?(packet: some Collection<UInt8>) {
        guard packet.first == UInt8(ascii: "D") else { return nil }
        let parts = packet.dropFirst().split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard parts.count >= 4 else { return nil }
        self.init(layer: parts[0], call: parts[1], about: parts[3], writes: parts[2] == "w")
    }

    /// The next packet on a status socket.
    public enum Next: Sendable, Hashable {
        case denial(Denial)
        /// There is no packet, now or any more.
        case nothing
        /// The note that the program starts; for `SpawnedProcess.startedProgram()`.
        case start
        /// The report of the end; for `SpawnedProcess.reap()`.
        case ending
    }

    /// Reads the next packet if it is a denial, and leaves any other in the socket. Never waits.
    public static func next(from report: Int32) -> Next {
        withUnsafeTemporaryAllocation(byteCount: packetLimit, alignment: 1) { buffer in
            let seen = recv(report, buffer.baseAddress, buffer.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            guard seen != 0 else { return .ending }
            guard seen > 0 else { return .nothing }
            guard buffer[0] == UInt8(ascii: "D"), seen > 12 else { return seen == 1 ? .start : .ending }
            let count = recv(report, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0, let denial = Denial(packet: buffer[..<count]) else { return .nothing }
            return .denial(denial)
        }
    }

    /// Whether a status socket has a packet of any kind, or its other end is gone. Never waits.
    public static func isAnythingThere(on report: Int32) -> Bool {
        var entry = pollfd(fd: report, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    public var kind: Kind {
        switch call {
        case "open", "openat", "openat2", "creat", "readlink", "readlinkat": .file
        case "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "truncate": .file
        case "socket", "socketpair":
            about.hasPrefix("AF_UNIX") ? .socket : .network
        case "connect", "bind", "listen", "sendto", "sendmsg", "sendmmsg": .network
        case "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "perf_event_open",
            "process_madvise",
            "process_mrelease":
            .tracing
        case "clone", "unshare", "setns", "chroot", "pivot_root": .namespace
        case _
        where call.contains("chmod") || call.contains("chown") || call.contains("xattr") || call.contains("utime"):
            .metadata
        case _
        where call.hasPrefix("mount") || call.hasPrefix("umount") || call.hasPrefix("fs") || call.hasPrefix("swap"):
            .mount
        case "open_tree", "open_tree_attr", "move_mount", "quotactl", "quotactl_fd": .mount
        case "add_key", "request_key", "keyctl": .keyring
        case "settimeofday", "clock_settime", "clock_adjtime", "adjtimex": .clock
        case _ where call.hasPrefix("shm") || call.hasPrefix("sem") || call.hasPrefix("msg") || call.hasPrefix("mq_"):
            .sharedObject
        case "setpriority", "ioprio_set", "prlimit64", "migrate_pages", "move_pages": .priority
        case _ where call.hasPrefix("sched_"): .priority
        case "ioctl", "vhangup": .terminal
        case "personality": .program
        case "file_setattr", "name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark": .metadata
        case "": .other
        default: .kernel
        }
    }

    /// The line of the entitlements that would allow it, with Apple's key; nil if none does.
    public var allowance: String? {
        switch kind {
        case .network where call == "bind" || call == "listen": "com.apple.security.network.server = true"
        case .network where call == "connect" || call.hasPrefix("send"): "com.apple.security.network.client = true"
        case .network
        where about.hasPrefix("AF_INET") && (about.hasSuffix("SOCK_STREAM") || about.hasSuffix("SOCK_DGRAM")):
            "com.apple.security.network.client = true"
        default: nil
        }
    }

    /// The remedy for its author, in words.
    public var remedy: String {
        switch kind {
        case .file:
            "Keep files in the container or in an app group's (com.apple.security.application-groups), or ship them in the bundle"
        case .metadata: "Change only files of the container, if there is a view of the file system"
        case .network:
            "Request the network in the entitlements, with a stream or datagram socket of the Internet families"
        case .socket: "Use stream or packet sockets; reach other processes' sockets through the host"
        case .tracing: "Attach a debugger from outside: exthostctl run --wait-for-debugger"
        case .sharedObject: "Share files or mapped memory of an app group's container"
        case .priority: "Change only the priority of the process itself (who = 0)"
        case .terminal: "Print: the output goes to the extension's log"
        case .mount, .namespace, .keyring, .kernel, .clock, .program, .other:
            "No entitlement allows this to an extension; do it in the app"
        }
    }
}

extension Denial: CustomStringConvertible {
    /// The form `seccomp refused socket (AF_INET SOCK_STREAM)`.
    public var description: String { "\(layer) refused \(call)\(about.isEmpty ? "" : " (\(about))")" }
}
