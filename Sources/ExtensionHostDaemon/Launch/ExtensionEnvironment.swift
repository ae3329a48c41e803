// ExtensionEnvironment: the descriptors and environment variables that an extension or an app gets at its launch.

import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The environment of a launched process: the variables that programs need to run, and none of the daemon's own.
enum ExtensionEnvironment {
    /// The number of the socket's descriptor, in `EXTHOST_EXTENSION_FD`, or in `EXTHOST_APP_FD` for an app and in
    /// `EXTHOST_SERVICE_FD` for the program of a service.
    static let socket: Int32 = 3
    /// The number of the descriptor of the `ReconnectSocket`, in `EXTHOST_EXTENSION_DOOR`. An app has none.
    static let door: Int32 = 4

    /// The variables that pass through: the user's place and language, the library path of a toolchain, and the options
    /// of sanitizers and coverage.
    ///
    /// Without these options an instrumented extension cannot be tested. `EXTHOST_ITEMS_…` also pass, for tests, too.
    private static let passed: Set<String> = [
        "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
        "ASAN_OPTIONS",
        "TSAN_OPTIONS",
        "UBSAN_OPTIONS", "LSAN_OPTIONS", "LLVM_PROFILE_FILE",
    ]

    /// Returns the environment of a process.
    ///
    /// - Parameters:
    ///   - container: nil where there are no containers; then the home is the daemon's.
    ///   - identity: the user whose program it is; nil: the daemon's own user, whose name and home it has.
    ///   - profile: the platform whose system version the process sees; nil: the newest one, which it knows itself.
    ///   - containers: the folder of all containers, for the program of a service that uses them.
    static func make(
        for bundle: ExtensionBundle, _ container: ExtensionContainer?, _ identity: UserIdentity? = nil,
        on profile: PlatformProfile? = nil, all containers: String? = nil
    ) -> [String] {
        // A crashing program must die at once, without waiting for a backtracer, and must not look for one when it
        // starts.
        var entries = ["SWIFT_BACKTRACE=enable=no,swift-backtrace=/bin/false"]
        entries.append("EXTHOST_\(bundle.role.rawValue.uppercased())_FD=\(socket)")
        if !bundle.isApp { entries.append("EXTHOST_EXTENSION_DOOR=\(door)") }
        if let containers { entries.append("\(ContainerNames.allVariable)=\(containers)") }
        if let version = profile?.version { entries.append("EXTHOST_SYSTEM_VERSION=\(version)") }
        var own = container?.variables ?? [:]
        if let identity {
            let name = identity.name ?? "user"
            own.merge(["USER": name, "LOGNAME": name, "SHELL": "/bin/sh", "PATH": "/usr/local/bin:/usr/bin:/bin"]) {
                $1
            }
            if own["HOME"] == nil { own["HOME"] = "/" }
        }
        for (name, value) in own.sorted(by: { $0.key < $1.key }) { entries.append("\(name)=\(value)") }
        var next = environ
        while let entry = next.pointee {
            next += 1
            // Nearly all are dropped, so only the name is read.
            let end = strcspn(entry, "=")
            let name = String(decoding: UnsafeRawBufferPointer(start: entry, count: end), as: UTF8.self)
            if own[name] != nil { continue }
            if passed.contains(name) || name.hasPrefix("LC_") || name.hasPrefix("EXTHOST_ITEMS_") {
                entries.append(String(cString: entry))
            }
        }
        return entries
    }
}
