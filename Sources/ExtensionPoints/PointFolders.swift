// PointFolders: the default folders of extension points.

import Glibc

/// The folders that are searched for points, the most important first.
public enum PointFolders {
    public static let system = "/etc/exthost/ExtensionPoints"
    private static let systemServices = "/etc/exthost/Services"

    /// The folders in `$EXTHOST_EXTENSION_POINTS`, separated by colons; nil if it is not set.
    public static var named: [String]? {
        variable("EXTHOST_EXTENSION_POINTS")?.split(separator: ":").map(String.init)
    }

    /// The user's own folder, then the system's.
    public static var user: [String] {
        (configuration.map { [$0 + "/exthost/ExtensionPoints"] } ?? []) + [system]
    }

    /// The folders of services' property lists, the most important first: those in `$EXTHOST_SERVICES`, else the
    /// user's own and the system's. A private daemon has none by default.
    public static func services(isSystem: Bool, isPrivate: Bool) -> [String] {
        if let named = variable("EXTHOST_SERVICES") { return named.split(separator: ":").map(String.init) }
        if isPrivate { return [] }
        let own = isSystem ? nil : configuration
        return (own.map { [$0 + "/exthost/Services"] } ?? []) + [systemServices]
    }

    private static var configuration: String? {
        variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
