// DefaultsLock: the lock of a group's shared defaults, taken by the daemon for the time in which it stops a member.

import EventLoop
import ExtensionProtocol
import Glibc
import LinuxSystem

/// While it is held no member changes the defaults: whoever wants to waits in its own time, and can be stopped then. It ends with the
/// object.
@HostActor
final class DefaultsLock {
    private let file: SharedDescriptor
    private var isNext = false

    /// nil for what is no ordinary file, or behind a link: members may put there what they like.
    init?(_ path: String, below folder: String) {
        guard path.hasPrefix(folder + "/"), let found = try? openBeneath(folder, String(path.dropFirst(folder.count + 1))),
            (try? facts(of: found))?.isRegularFile == true
        else { return nil }
        // The same file, opened to be locked: the first descriptor only names it.
        let raw = open("/proc/self/fd/\(found.raw)", O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else { return nil }
        file = SharedDescriptor(owning: raw)
    }

    /// Whether it is held now. Never waits: to be asked again and again. Once it is next, only the member that has the lock is before it.
    func take() -> Bool {
        if !isNext { isNext = (try? lockOpenFile(file.raw, byte: ContainerNames.waitingByte)) == true }
        return isNext && (try? lockOpenFile(file.raw, byte: ContainerNames.changingByte)) == true
    }
}
