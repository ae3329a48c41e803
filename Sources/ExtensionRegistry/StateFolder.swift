// StateFolder: the folders of a service's persistent data.

import Glibc

/// The folder of elections and registrations, which is made at its first use.
package enum StateFolder {
    /// Returns systemd's `StateDirectory=` (systemd.exec(5)) if it is set, else `$XDG_STATE_HOME/exthost`, else
    /// `~/.local/state/exthost`.
    ///
    /// The system's service uses `/var/lib/exthost`. The result is nil without a home.
    package static func path(isSystem: Bool) -> String? {
        if let folder = variable("STATE_DIRECTORY")?.split(separator: ":").first { return String(folder) }
        if isSystem { return "/var/lib/exthost" }
        // The XDG base directory specification says that a relative path is to be ignored.
        if let folder = variable("XDG_STATE_HOME"), folder.hasPrefix("/") { return folder + "/exthost" }
        return variable("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.local/state/exthost" : nil }
    }

    /// Returns the folder of containers: `$XDG_DATA_HOME/exthost/Containers`, else below `~/.local/share`.
    ///
    /// The system's service has it beside its state.
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
