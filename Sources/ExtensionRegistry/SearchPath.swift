// SearchPath: the default folders of applications.

import Glibc

/// The application folders in `$EXTHOST_APPLICATIONS`, else the standard ones.
public enum SearchPath {
    public static var standard: [String] {
        if let named = variable("EXTHOST_APPLICATIONS") {
            return named.split(separator: ":").map { absolute(String($0)) }
        }
        return [
            dataFolder + "/exthost/Applications", "/usr/local/share/exthost/Applications",
            "/usr/share/exthost/Applications",
        ]
    }

    /// The folders of the system's daemon, without any user's folder.
    public static var system: [String] {
        variable("EXTHOST_APPLICATIONS") != nil ? standard : Array(standard.dropFirst())
    }

    /// Returns an absolute path, relative to the working directory, without `.` and `..`. It does not resolve links.
    ///
    /// Programs are run from another directory, so a relative path would not lead to them.
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
