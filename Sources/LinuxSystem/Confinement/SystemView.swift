// SystemView: the part of the system that every confined program sees.

internal import Glibc

/// One line of a policy about a path (policy.h of exthost-init).
enum PolicyEntry: Sendable {
    /// A path of the system.
    case system(String)
    case read(ViewFile)
    case write(ViewFile)
    case place(String, source: ViewFile)
    case memory(String, bytes: Int)
    case device(String)
    case text(String, String)
    case link(String, to: String)

    var path: String {
        switch self {
        case .read(let file), .write(let file): file.path
        case .system(let path), .place(let path, _), .memory(let path, _), .device(let path), .text(let path, _),
            .link(let path, _):
            path
        }
    }
}

/// The system's part of a policy. It is read once: a system's folders do not come and go while it runs.
struct SystemView: Sendable {
    let entries: [PolicyEntry]

    static let withView = SystemView(hasView: true, network: false)
    static let withViewAndNetwork = SystemView(hasView: true, network: true)
    static let withoutView = SystemView(hasView: false, network: false)
    static let withoutViewButNetwork = SystemView(hasView: false, network: true)

    static func entries(of confinement: Confinement) -> [PolicyEntry] {
        switch (confinement.layers.namespaces, !confinement.network.isEmpty) {
        case (true, false): withView.entries
        case (true, true): withViewAndNetwork.entries
        case (false, false): withoutView.entries
        case (false, true): withoutViewButNetwork.entries
        }
    }

    /// The folders of programs and libraries (file-hierarchy(7)); on most systems all but the first are links into it.
    private static let folders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]
    /// The files that the dynamic linker, the links of Debian's `/usr/bin`, and the C library's clock need.
    private static let settings = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/timezone"]
    /// The files that are needed to find and trust a server.
    private static let networkSettings = [
        "/etc/resolv.conf", "/etc/hosts", "/etc/ca-certificates", "/etc/services", "/etc/protocols", "/etc/gai.conf",
        "/etc/host.conf",
        // Beside these lie private keys, which root may read.
        "/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/pki/ca-trust", "/etc/pki/tls/certs",
        "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf",
    ]
    private static let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

    private init(hasView: Bool, network: Bool) {
        var entries = (Self.folders + Self.settings + (network ? Self.networkSettings : [])).compactMap {
            Self.entry($0, hasView: hasView)
        }
        entries += Self.devices.filter { access($0, F_OK) == 0 }.map { .device($0) }
        if hasView {
            entries += [
                .link("/dev/fd", to: "/proc/self/fd"), .link("/dev/stdin", to: "/proc/self/fd/0"),
                .link("/dev/stdout", to: "/proc/self/fd/1"), .link("/dev/stderr", to: "/proc/self/fd/2"),
                // Shared memory by name is the program's own, and is stored with its temporary files.
                .link("/dev/shm", to: "/tmp"),
                .text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\(network ? " dns" : "")\n"),
            ]
            if !network { entries.append(.text("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")) }
        } else {
            // These are the files of the host: Landlock closes what is not named, and cannot make new ones.
            entries += ["/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/hosts", "/sys/devices/system/cpu"]
                .compactMap {
                    Self.entry($0, hasView: false)
                }
        }
        self.entries = entries
    }

    /// Returns the entry of a path. A link stays a link: `/etc/localtime` tells the zone's name by its target.
    private static func entry(_ path: String, hasView: Bool) -> PolicyEntry? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        if hasView, status.st_mode & S_IFMT == S_IFLNK, let target = linkTarget(path), leadsToSystem(target) {
            return .link(path, to: target)
        }
        return access(path, F_OK) == 0 ? .system(path) : nil
    }

    /// Whether a link leads into `/usr`, which is in the view; otherwise the file itself must be added.
    private static func leadsToSystem(_ target: String) -> Bool {
        target.hasPrefix("usr/") || target.hasPrefix("/usr/")
    }

    // MARK: The user

    /// Returns the name service of a view: the program's user and group only.
    static func names(home: String?, of identity: UserIdentity? = nil) -> [PolicyEntry] {
        let home = home ?? "/"
        let (uid, gid) = (identity?.uid ?? geteuid(), identity?.gid ?? getegid())
        let name = identity.map { $0.name ?? "user" } ?? user
        return [
            .text("/etc/passwd", "\(name):x:\(uid):\(gid)::\(home):/bin/sh\n"),
            .text("/etc/group", "\(identity == nil ? group : name):x:\(gid):\n"),
        ]
    }

    private static let user: String = getpwuid(geteuid()).flatMap { safe($0.pointee.pw_name) } ?? "user"
    private static let group: String = getgrgid(getegid()).flatMap { safe($0.pointee.gr_name) } ?? "user"

    private static func safe(_ name: UnsafeMutablePointer<CChar>?) -> String? {
        guard let name else { return nil }
        let text = String(cString: name)
        return text.isEmpty || text.contains(where: { $0 == ":" || $0.isNewline }) ? nil : text
    }
}
