// PointFolders: the default folders of extension points.

import Glibc

/// The folders that are searched for points, the most important first.
public enum PointFolders {
    public static let system = "/etc/exthost/ExtensionPoints"

    /// The folders in `$EXTHOST_EXTENSION_POINTS`, separated by colons; nil if it is not set.
    public static var named: [String]? {
        variable("EXTHOST_EXTENSION_POINTS")?.split(separator: ":").map(String.init)
    }

    /// The user's own folder, then the system's.
    public static var user: [String] {
        let configuration = variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
        return (configuration.map { [$0 + "/exthost/ExtensionPoints"] } ?? []) + [system]
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
