// HelperProgram: the search for a program that hosts execute.

public import ExtensionProtocol
internal import Glibc
internal import LinuxDescriptors

/// A program of the installation that a host executes.
struct HelperProgram {
    let name: String
    /// The environment's variable with its path.
    let variable: String
    /// The task of the program, for the message.
    let task: String

    /// Returns the path of the program: `$variable`, else in the folders of this program, of `$EXTHOSTD` and of `PATH`,
    /// and in `../libexec/exthost` beside each.
    ///
    /// - Throws: `helperMissing` with the places that were searched.
    func locate() throws(ExtensionHostError) -> String {
        let places = places
        if let found = places.first(where: { access($0, X_OK) == 0 }) { return found }
        throw ExtensionHostError(
            .helperMissing, "\(name), which \(task), was not found at \(places.joined(separator: ", "))",
            remedy: "Install it beside exthostd, or name it in \(variable)")
    }

    /// The places, in the order of the search.
    private var places: [String] {
        if let named = Self.value(of: variable) { return [named] }
        var folders: [String] = []
        if let own = linkTarget("/proc/self/exe") { folders.append(Self.folder(of: own)) }
        if let daemon = Self.value(of: "EXTHOSTD") { folders.append(Self.folder(of: daemon)) }
        for entry in (Self.value(of: "PATH") ?? "").split(separator: ":") where access("\(entry)/exthostd", X_OK) == 0 {
            folders.append(String(entry))
        }
        return folders.flatMap { ["\($0)/\(name)", "\($0)/../libexec/exthost/\(name)"] }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private static func value(of variable: String) -> String? {
        guard let value = getenv(variable).map({ String(cString: $0) }), !value.isEmpty else { return nil }
        return value
    }
}

/// The program that mounts the files of a provider.
public enum MountProgram {
    /// Returns the path of `exthost-fuse`, which is built for itself.
    ///
    /// - Throws: `ExtensionHostError` `helperMissing` with the places that were searched.
    public static func path() throws(ExtensionHostError) -> String {
        try HelperProgram(name: "exthost-fuse", variable: "EXTHOST_FUSE", task: "mounts the files of a provider")
            .locate()
    }
}
