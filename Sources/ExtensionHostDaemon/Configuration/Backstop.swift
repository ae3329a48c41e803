// Backstop: the limits of an extension for which nobody has set any: far more than a well-behaved one takes, far less
// than the machine has.

import ExtensionPoints
import Glibc

/// What an extension is limited to by default. Any source of limits replaces a value, or takes it away with `off`.
///
/// A backstop costs a launch nothing: it is a limit of setrlimit(2), or the poller compares it a few times a second. It
/// takes no probe and no control group.
enum Backstop {
    static let limits = ResourceLimits([
        .memory: .limit(memory), .tasks: .limit(1024), .descriptors: .limit(descriptors), .output: .limit(16 << 20),
    ])

    /// The kernel counts descriptors that are under way in messages for the whole user, against the limit of whoever
    /// sends (unix(7)). With a full message of 253 above this, an extension leaves others room below the usual 1,024.
    private static let descriptors = 768

    /// Half of the machine's.
    private static let memory: Int = {
        let all = sysconf(Int32(_SC_PHYS_PAGES)) * Int(getpagesize())
        return all > 0 ? max(all / 2, 64 << 20) : 1 << 30
    }()
}
