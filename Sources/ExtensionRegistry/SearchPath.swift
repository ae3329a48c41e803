// SearchPath: which folders hold applications when nobody says so.

import Glibc

/// The application folders by `$EXTHOST_APPLICATIONS`, else the standard ones.
public enum SearchPath {
    public static var standard: [String] {
        if let named = variable("EXTHOST_APPLICATIONS") { return named.split(separator: ":").map { absolute(String($0)) } }
        return [dataFolder + "/exthost/Applications", "/usr/local/share/exthost/Applications", "/usr/share/exthost/Applications"]
    }

    /// Of the system's daemon: no user's folder.
    public static var system: [String] {
        variable("EXTHOST_APPLICATIONS") != nil ? standard : Array(standard.dropFirst())
    }

    /// A path from this process's folder, without `.` and `..`: programs are run from elsewhere. Links are left as they are.
    public static func absolute(_ path: String) -> String {
        var parts: [Substring] = []
        var all = path
        if !path.hasPrefix("/"), let folder = getcwd(nil, 0) {
            all = "\(String(cString: folder))/\(path)"
            free(folder)
        }
        for part in all.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    private static var dataFolder: String {
        variable("XDG_DATA_HOME") ?? (variable("HOME") ?? "") + "/.local/share"
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
