// SearchPath: which folders hold applications when nobody says so.

import Glibc

/// The application folders by `$EXTHOST_APPLICATIONS`, else the standard ones.
public enum SearchPath {
    public static var standard: [String] {
        if let named = variable("EXTHOST_APPLICATIONS") { return named.split(separator: ":").map(String.init) }
        return [dataFolder + "/exthost/Applications", "/usr/local/share/exthost/Applications", "/usr/share/exthost/Applications"]
    }

    private static var dataFolder: String {
        variable("XDG_DATA_HOME") ?? (variable("HOME") ?? "") + "/.local/share"
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
