// ConfigurationFiles: the folders and files in which a daemon finds its settings.

import Glibc
import LinuxSystem

/// The vendor's, the system's and the user's files, and drop-ins (as in systemd.unit(5)).
public struct ConfigurationFiles: Sendable {
    static let name = "exthostd.plist"
    /// The maximum number of drop-ins; nobody has more.
    private static let dropInsAllowed = 256

    /// The folders in ascending precedence.
    public let folders: [String]

    /// - Parameter folders: in ascending precedence.
    public init(folders: [String]) { self.folders = folders }

    /// Returns the files of a user's daemon, or those of the system's daemon.
    public static func standard(isSystem: Bool) -> ConfigurationFiles {
        let shared = ["/usr/lib/exthost", "/usr/local/lib/exthost", "/etc/exthost"]
        guard !isSystem else { return ConfigurationFiles(folders: shared) }
        func folder(_ name: String) -> String? {
            guard let text = getenv(name) else { return nil }
            let path = String(cString: text)
            return path.hasPrefix("/") ? path : nil
        }
        let own = folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" }
        return ConfigurationFiles(folders: shared + (own.map { ["\($0)/exthost"] } ?? []))
    }

    /// The files that exist, in ascending precedence: the file of each folder, then all drop-ins by name.
    ///
    /// Of several drop-ins with one name, only that of the last folder counts. The property reads folders, so the loop
    /// must not call it.
    public var present: [String] {
        let files: [String] = folders.map { (folder: String) -> String in "\(folder)/\(Self.name)" }.filter {
            access($0, F_OK) == 0
        }
        var dropIns: [String: String] = [:]
        for folder in folders.map({ "\($0)/\(Self.name).d" }) {
            for name in (try? listDirectory(folder, maximumCount: 4096)) ?? [] where name.hasSuffix(".plist") {
                dropIns[name] = "\(folder)/\(name)"
            }
        }
        return files + dropIns.sorted { $0.key < $1.key }.prefix(Self.dropInsAllowed).map(\.value)
    }
}
