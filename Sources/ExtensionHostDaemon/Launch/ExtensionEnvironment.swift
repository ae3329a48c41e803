// ExtensionEnvironment: what an extension or an app finds around it when it starts.

import ExtensionRegistry
import Glibc
import LinuxSystem

/// The environment of a launched process. It gets what programs need to run and nothing of the daemon's own affairs.
enum ExtensionEnvironment {
    /// The number of its socket, named by `EXTHOST_EXTENSION_FD`, of an app by `EXTHOST_APP_FD`.
    static let socket: Int32 = 3
    /// That of an extension's door, named by `EXTHOST_EXTENSION_DOOR`.
    static let door: Int32 = 4

    /// Variables that pass through: the user's place and language, the library path of a toolchain, and the options of
    /// sanitizers and coverage, without which an instrumented extension cannot be tested. `EXTHOST_ITEMS_…` are for tests, too.
    private static let passed: Set<String> = [
        "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
        "TSAN_OPTIONS",
        "UBSAN_OPTIONS", "LSAN_OPTIONS", "LLVM_PROFILE_FILE",
    ]

    /// - Parameter container: nil where there are no containers; then the home is the daemon's.
    /// - Parameter identity: the user whose program it is; nil: the daemon's own, whose name and home it keeps.
    static func make(
        for bundle: ExtensionBundle, _ container: ExtensionContainer?, _ identity: UserIdentity? = nil
    ) -> [String] {
        // A crashing program must die at once and not wait for a backtracer; nor look for one when it starts.
        var entries = ["SWIFT_BACKTRACE=enable=no,swift-backtrace=/bin/false"]
        entries +=
            bundle.isApp ? ["EXTHOST_APP_FD=\(socket)"] : ["EXTHOST_EXTENSION_FD=\(socket)", "EXTHOST_EXTENSION_DOOR=\(door)"]
        var own = container?.variables ?? [:]
        if let identity {
            let name = identity.name ?? "user"
            own.merge(["USER": name, "LOGNAME": name, "SHELL": "/bin/sh", "PATH": "/usr/local/bin:/usr/bin:/bin"]) { $1 }
            if own["HOME"] == nil { own["HOME"] = "/" }
        }
        for (name, value) in own.sorted(by: { $0.key < $1.key }) { entries.append("\(name)=\(value)") }
        var next = environ
        while let entry = next.pointee {
            next += 1
            let text = String(cString: entry)
            let name = String(text.prefix { $0 != "=" })
            if own[name] != nil { continue }
            if passed.contains(name) || name.hasPrefix("LC_") || name.hasPrefix("EXTHOST_ITEMS_") { entries.append(text) }
        }
        return entries
    }
}
