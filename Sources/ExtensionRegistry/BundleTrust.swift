// BundleTrust: the check whether anybody but root could change what a bundle runs, for the system's daemon.

import Glibc

/// The check of who can change a bundle's files, as they are now. It takes a few system calls for each bundle.
public enum BundleTrust {
    /// Returns why users other than root and this process's user could change what the bundle runs, or nil if none
    /// could.
    ///
    /// They could do so through its program, its `Info.plist`, the libraries of its app, or any folder on the way to
    /// them. A folder that everybody may write to, but in which only its owner may rename a file (`/tmp`), does not
    /// count.
    public static func problem(of bundle: ExtensionBundle) -> String? {
        var paths = [bundle.path, bundle.path + "/Info.plist", bundle.path + "/Contents/Info.plist"]
        if let executable = bundle.executable { paths.append(executable) }
        if let app = bundle.containingApp {
            paths += [
                "/Info.plist", "/Contents/Info.plist", "/Frameworks", "/Contents/Frameworks", "/Entitlements.plist",
            ].map {
                app + $0
            }
        }
        var seen: Set<String> = []
        for path in paths {
            var part = ""
            for name in path.split(separator: "/") {
                part += "/" + name
                if seen.insert(part).inserted, let problem = problem(ofFile: part) { return problem }
            }
        }
        return nil
    }

    private static func problem(ofFile path: String) -> String? {
        var status = stat()
        // A missing file has no owner.
        guard stat(path, &status) == 0 else { return nil }
        let remedy = "Only root may have the right to change programs that every user runs: chown root: and chmod go-w"
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            return "\(path) belongs to user \(status.st_uid). \(remedy)"
        }
        let isShared = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
        guard status.st_mode & 0o022 == 0 || isShared else { return "other users can write \(path). \(remedy)" }
        return nil
    }
}
