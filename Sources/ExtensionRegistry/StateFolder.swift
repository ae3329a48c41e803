// StateFolder: where a service keeps what outlasts it.

import Glibc

/// The folder of elections and registrations; made when it is needed.
package enum StateFolder {
    /// systemd's `StateDirectory=` (systemd.exec(5)) where it is set, else `$XDG_STATE_HOME/exthost`, else `~/.local/state/exthost`; of the
    /// system's service `/var/lib/exthost`. nil without a home.
    package static func path(isSystem: Bool) -> String? {
        if let folder = variable("STATE_DIRECTORY")?.split(separator: ":").first { return String(folder) }
        if isSystem { return "/var/lib/exthost" }
        // A relative path is to be ignored, says the XDG base directory specification.
        if let folder = variable("XDG_STATE_HOME"), folder.hasPrefix("/") { return folder + "/exthost" }
        return variable("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.local/state/exthost" : nil }
    }

    /// The folder of containers: `$XDG_DATA_HOME/exthost/Containers`, else below `~/.local/share`; of the system's service with its state.
    package static func containers(isSystem: Bool) -> String? {
        if isSystem { return path(isSystem: true).map { $0 + "/Containers" } }
        if let folder = variable("XDG_DATA_HOME"), folder.hasPrefix("/") { return folder + "/exthost/Containers" }
        return variable("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.local/share/exthost/Containers" : nil }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
