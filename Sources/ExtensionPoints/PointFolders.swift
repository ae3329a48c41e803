// PointFolders: which folders hold extension points when nobody says so.

import Glibc

/// Where points are looked for, the most important folder first.
public enum PointFolders {
    public static let system = "/etc/exthost/ExtensionPoints"

    /// `$EXTHOST_EXTENSION_POINTS`, divided by colons; nil where it is not set.
    public static var named: [String]? {
        variable("EXTHOST_EXTENSION_POINTS")?.split(separator: ":").map(String.init)
    }

    /// The user's own, then the system's.
    public static var user: [String] {
        let configuration = variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
        return (configuration.map { [$0 + "/exthost/ExtensionPoints"] } ?? []) + [system]
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
