// Outside: things of the same user that a confined program must not reach, and a place for what it may.

import Foundation
import Glibc
import LinuxSystem
import Testing

/// Files, sockets, processes and shared objects, made for one run of attempts.
final class Outside {
    let folder: TemporaryDirectory
    /// What the program may have: its bundle to read, container and group to write.
    let bundle, container, group: String
    private let port: UInt16
    private let key: Int32
    private let name: String
    private var descriptors: [Int32] = []
    private var objects: (memory: Int32, semaphores: Int32, messages: Int32) = (-1, -1, -1)
    private let victim: SpawnedProcess

    /// - Parameter program: a copy of the hostile program is put into the bundle.
    init(program: String, in parent: String? = nil) throws {
        folder = try TemporaryDirectory(prefix: "exthost-outside", in: parent)
        chmod(folder.path, 0o755)
        bundle = folder.path + "/Hostile.appex"
        container = folder.path + "/container"
        group = folder.path + "/group"
        for path in [bundle, container, container + "/tmp", group, folder.path + "/victims", folder.path + "/hidden"] {
            guard mkdir(path, 0o755) == 0 else { throw SystemError("mkdir") }
        }
        try copyProgram(program, to: bundle + "/hostile")
        for file in [
            "secret", "hidden/secret", "victims/victim", "Hostile.appex/Info.plist", "Hostile.appex/Resources.txt",
            "tool",
        ] {
            try Data("secret".utf8).write(to: URL(fileURLWithPath: folder.path + "/" + file))
        }
        try FileManager.default.removeItem(atPath: folder.path + "/tool")
        try copyProgram("/bin/true", to: folder.path + "/tool")
        symlink("secret", folder.path + "/link")
        victim = try spawn(SpawnAttributes(executable: "/bin/sleep", arguments: ["1000"]))
        key = 0x4578_0000 | (victim.pid & 0xffff)
        name = "/exthost-\(victim.pid)"
        var port: UInt16 = 0
        var made: [Int32] = []
        made.append(try Self.listener(unix: folder.path + "/stream", type: Int32(SOCK_STREAM.rawValue)))
        made.append(try Self.listener(unix: "\0" + name, type: Int32(SOCK_STREAM.rawValue)))
        made.append(try Self.listener(unix: folder.path + "/datagrams", type: Int32(SOCK_DGRAM.rawValue)))
        // A port that is free for streams may be somebody's for datagrams.
        for attempt in 1... {
            port = 0
            let stream = try Self.listener(port: &port, type: Int32(SOCK_STREAM.rawValue))
            made.append(stream)
            guard let datagrams = try? Self.listener(port: &port, type: Int32(SOCK_DGRAM.rawValue)) else {
                guard attempt < 20 else { throw SystemError("bind", code: EADDRINUSE) }
                close(made.removeLast())
                continue
            }
            made.append(datagrams)
            break
        }
        self.port = port
        descriptors = made
        objects = (
            shmget(key, 4096, Self.create | 0o600), semget(key, 1, Self.create | 0o600),
            msgget(key, Self.create | 0o600)
        )
        descriptors.append(shm_open(name, O_RDWR | O_CREAT, 0o600))
        // Kept as a file of the queues' file system where it is mounted; the call works without.
        let queue =
            dlsym(nil, "mq_open").map { unsafeBitCast($0, to: OpenQueue.self)(name, O_RDWR | O_CREAT, 0o600, nil) }
            ?? -1
        descriptors.append(queue)
    }

    private typealias OpenQueue = @convention(c) (UnsafePointer<CChar>, Int32, mode_t, UnsafeRawPointer?) -> Int32
    private typealias UnlinkQueue = @convention(c) (UnsafePointer<CChar>) -> Int32
    private static let create: Int32 = 0o1000  // IPC_CREAT

    deinit {
        for descriptor in descriptors { close(descriptor) }
        if objects.memory >= 0 { shmctl(objects.memory, IPC_RMID, nil) }
        if objects.messages >= 0 { msgctl(objects.messages, IPC_RMID, nil) }
        if objects.semaphores >= 0, let remove = dlsym(nil, "semctl") {
            typealias Control = @convention(c) (Int32, Int32, Int32) -> Int32
            _ = unsafeBitCast(remove, to: Control.self)(objects.semaphores, 0, IPC_RMID)
        }
        shm_unlink(name)
        if let remove = dlsym(nil, "mq_unlink") { _ = unsafeBitCast(remove, to: UnlinkQueue.self)(name) }
        _ = try? victim.signalTree(SIGKILL)
        _ = try? ending(of: victim)
        try? folder.remove()
    }

    private static func listener(unix path: String, type: Int32) throws -> Int32 {
        let descriptor = socket(AF_UNIX, type, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0, type != Int32(SOCK_STREAM.rawValue) || listen(descriptor, 64) == 0 else {
            throw SystemError("bind")
        }
        return descriptor
    }

    private static func listener(port: inout UInt16, type: Int32) throws -> Int32 {
        let descriptor = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0
                    && (type != Int32(SOCK_STREAM.rawValue) || listen(descriptor, 64) == 0)
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard code else { throw SystemError("bind") }
        port = UInt16(bigEndian: address.sin_port)
        return descriptor
    }

    /// What each attempt is made on; others need nothing.
    private var arguments: [String: String] {
        let secret = folder.path + "/secret"
        let victims = folder.path + "/victims"
        let pid = "\(victim.pid)"
        var arguments = [
            "read-hidden-file": folder.path + "/hidden/secret", "list-folder": folder.path + "/hidden",
            "execute-file": folder.path + "/tool", "execute-own": "/bin/true", "open-device": "/dev/ptmx",
            "make-device": container,
            "write-bundle": bundle + "/Info.plist", "create-in-bundle": bundle, "write-system": "/usr/bin/env",
            "create-in-system": "/usr", "write-kernel-setting": "/proc/sys/kernel/domainname",
            "read-processes-file": "/proc/\(pid)/status", "read-link": folder.path + "/link",
            "change-null": "/dev/null",
            "connect-path": folder.path + "/stream", "connect-abstract": name,
            "send-to-path": folder.path + "/datagrams",
            "send-from-pair": folder.path + "/datagrams", "connect-tcp": "\(port)", "connect-tcp6": "\(port)",
            "listen-tcp": "0",
            "send-udp": "\(port)", "named-queue": name, "named-memory": name, "shared-memory": "\(key)",
            "semaphores": "\(key)", "message-queue": "\(key)", "mount-something": victims, "unmount": victims,
            "copy-tree": victims,
            "swap-to": "/dev/null", "account": victims, "inherited-descriptors": "4", "through-descriptor": "secret",
        ]
        for name in [
            "change-mode-open", "change-owner-open", "change-times-open", "change-attribute-open",
            "remove-attribute-open",
            "change-flags-open", "take-lease",
        ] { arguments[name] = bundle + "/Info.plist" }
        for name in ["make-set-user-file", "set-user-bit", "load-own"] { arguments[name] = container }
        for name in [
            "send-fast-open", "send-messages-fast-open", "connect-fast-open", "connect-multipath", "connect-shared",
            "connect-stream-control",
        ] { arguments[name] = "\(port)" }
        for name in ["create-file", "make-folder", "make-pipe", "make-link", "rename-file", "remove-file"] {
            arguments[name] = victims
        }
        for name in [
            "signal-process", "signal-thread", "signal-by-descriptor", "trace-process", "read-memory",
            "read-proc-memory",
            "read-environment", "read-command", "compare-processes", "take-descriptor", "measure-process",
            "change-priority",
            "change-limits", "change-scheduling", "change-disk-priority", "enter-namespace",
        ] { arguments[name] = pid }
        for name in [
            "read-file", "write-file", "truncate-file", "hard-link", "through-link", "through-dots", "through-own-root",
            "through-first-root", "through-parent", "through-handle", "see-file", "ask-access", "change-mode",
            "change-owner",
            "change-times", "change-attribute", "watch-file",
        ] { arguments[name] = secret }
        return arguments
    }

    /// What each allowance is about.
    private var allowed: [String: String] {
        [
            "may-read": bundle + "/Info.plist", "cut-by-opening": bundle + "/Resources.txt",
            "may-read-system": "/usr/bin/env",
            "may-read-null": "/dev/null",
            "may-read-zero": "/dev/zero", "may-read-own-maps": "/proc/self/maps",
            "may-read-own-status": "/proc/self/status",
            "may-read-random": "/dev/urandom", "may-list": bundle, "may-list-system": "/usr", "may-write": container,
            "may-write-group": group, "may-lock": group, "may-change-mode": container, "may-change-open": container,
            "may-run-program": "/bin/true",
            "may-listen": container, "may-connect-tcp": "\(port)", "may-resolve": "localhost",
        ]
    }

    func confinement(_ layers: ConfinementLayers) throws -> Confinement {
        let home = try ViewFile(container)
        return Confinement(
            layers: layers, readable: [try ViewFile(bundle)], writable: [home, try ViewFile(group)], home: container,
            temporaryFolder: try home.file("tmp"))
    }

    func attributes(_ names: [String], _ confinement: Confinement?, _ initProgram: String) -> SpawnAttributes {
        let arguments = arguments.merging(allowed) { first, _ in first }
        var attributes = SpawnAttributes(
            executable: bundle + "/hostile",
            arguments: names.map { name in arguments[name].map { "\(name)=\($0)" } ?? name },
            environment: [
                "PATH=/usr/bin:/bin", "CONTAINER=\(container)", "HOME=\(container)", "CFFIXED_USER_HOME=\(container)",
                "TMPDIR=\(container)/tmp",
            ],
            workingDirectory: bundle)
        attributes.confinement = confinement
        if let confinement {
            attributes.enclosure =
                confinement.layers.namespaces
                ? .processNamespace(initProgram: initProgram) : .guardian(program: initProgram)
        }
        return attributes
    }

    /// Makes the attempts; by name `ok`, or the errno's name.
    func attempt(_ names: [String], _ confinement: Confinement?, _ initProgram: String) throws -> [String: String] {
        let (output, ending) = try run(attributes(names, confinement, initProgram))
        #expect(ending.status == .exited(0))
        let pairs = output.split(separator: "\n").map { line in line.split(separator: " ").map(String.init) }
        return Dictionary(
            pairs.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }, uniquingKeysWith: { first, _ in first })
    }
}
