// DefaultsLock: the lock of a group's shared defaults, which the daemon takes while it stops a member.

import EventLoop
import ExtensionProtocol
import Glibc
import LinuxSystem

/// The lock of the shared defaults, which ends with the object.
///
/// While the daemon holds it, no member changes the defaults. A member that wants to change them waits for it, and can
/// be stopped meanwhile.
@HostActor
final class DefaultsLock {
    private let file: SharedDescriptor
    private var isNext = false

    /// Returns nil for a file that is not regular or lies behind a link: members may put anything there.
    init?(_ path: String, below folder: String) {
        guard path.hasPrefix(folder + "/"),
            let found = try? openBeneath(folder, String(path.dropFirst(folder.count + 1))),
            (try? facts(of: found))?.isRegularFile == true
        else { return nil }
        // The same file, opened to be locked: the first descriptor only names it.
        let raw = open("/proc/self/fd/\(found.raw)", O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else { return nil }
        file = SharedDescriptor(owning: raw)
    }

    /// Tries to take the lock, and returns whether it is held now.
    ///
    /// The call never blocks, so the caller repeats it. Once this lock is next in line, only the member that holds it
    /// is before it.
    func take() -> Bool {
        if !isNext { isNext = (try? lockOpenFile(file.raw, byte: ContainerNames.waitingByte)) == true }
        return isNext && (try? lockOpenFile(file.raw, byte: ContainerNames.changingByte)) == true
    }
}
