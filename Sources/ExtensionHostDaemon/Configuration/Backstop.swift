// Backstop: the default limits of an extension: far more than a well-behaved one takes, far less than the machine has.

import ExtensionPoints
import Glibc

/// The default limits of an extension. Any source of limits replaces a value, or removes it with `off`.
///
/// A backstop costs a launch nothing: it is a limit of setrlimit(2), or the poller compares it a few times a second. It
/// takes no probe and no control group.
enum Backstop {
    static let limits = ResourceLimits([
        .memory: .limit(memory), .tasks: .limit(1024), .descriptors: .limit(descriptors), .output: .limit(16 << 20),
    ])

    /// The limit of open descriptors.
    ///
    /// The kernel counts descriptors in flight for the whole user, against the limit of the sender (unix(7)). With a
    /// full message of 253 above this, an extension leaves others room below the usual 1,024.
    private static let descriptors = 768

    /// The limit of memory in bytes: half of the machine's, at least 64 MiB; 1 GiB if the machine's is unknown.
    private static let memory: Int = {
        let all = sysconf(Int32(_SC_PHYS_PAGES)) * Int(getpagesize())
        return all > 0 ? max(all / 2, 64 << 20) : 1 << 30
    }()
}
