// ApplicationsFolder: a folder of applications on disk, made for one test and removed with it.

import Glibc
import LinuxSystem

/// Writes bundles as people build them. The folder goes with the last reference.
final class ApplicationsFolder: Sendable {
    private let directory: TemporaryDirectory
    var path: String { directory.path }

    init() throws { directory = try TemporaryDirectory(prefix: "applications") }

    deinit { try? directory.remove() }

    /// The `.appex` folder of an application, with all folders above it; `contents` for the macOS layout.
    @discardableResult
    func bundle(_ application: String, _ name: String, contents: Bool = false) throws -> String {
        let inner = contents ? "/Contents" : ""
        let path = "\(path)/\(application).app\(inner)/PlugIns/\(name).appex"
        if contents { try write("\(self.path)/\(application).app/Contents/Info.plist", Self.plist([])) }
        try makeFolder(path)
        return path
    }

    /// A bundle that can be used.
    @discardableResult
    func good(_ application: String, _ name: String, identifier: String, contents: Bool = false) throws -> String {
        let bundle = try bundle(application, name, contents: contents)
        let (information, programs) = contents ? ("\(bundle)/Contents", "\(bundle)/Contents/MacOS") : (bundle, bundle)
        try write("\(information)/Info.plist", Self.plist(Self.entries(identifier: identifier, executable: name)))
        try write("\(programs)/\(name)", "#!/bin/true\n", mode: 0o755)
        return bundle
    }

    /// Removes a folder so that a walk sees all of it or nothing.
    func removeAtOnce(_ folder: String) throws {
        let hidden = try ApplicationsFolder()
        guard rename(folder, "\(hidden.path)/removed") == 0 else { throw SystemError("rename") }
    }

    func makeFolder(_ path: String) throws {
        var prefix = ""
        for part in path.split(separator: "/") {
            prefix += "/\(part)"
            guard mkdir(prefix, 0o755) == 0 || errno == EEXIST || errno == EROFS else { throw SystemError("mkdir") }
        }
    }

    /// Writes over what is there before it cuts off the rest: a text as long as the old one is never seen half written,
    /// however long this thread is kept waiting.
    func write(_ path: String, _ text: String, mode: mode_t = 0o644) throws {
        try makeFolder(path.split(separator: "/").dropLast().map { "/\($0)" }.joined())
        let raw = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode)
        guard raw >= 0 else { throw SystemError("open") }
        let descriptor = OwnedDescriptor(owning: raw)
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor.raw, bytes, bytes.count) == bytes.count else { throw SystemError("write") }
        var status = stat()
        guard fstat(descriptor.raw, &status) == 0 else { throw SystemError("fstat") }
        // Of what is as long there is nothing to cut off, and the file changes once: a walk in between would take it
        // for two files.
        guard status.st_size > bytes.count else { return }
        guard ftruncate(descriptor.raw, off_t(bytes.count)) == 0 else { throw SystemError("ftruncate") }
    }

    // MARK: Property lists

    static func plist(_ entries: [String]) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict>\(entries.joined())</dict></plist>"
    }

    static func string(_ key: String, _ value: String) -> String { "<key>\(key)</key><string>\(value)</string>" }

    static func declaration(point: String = "com.apple.share-services") -> String {
        "<key>NSExtension</key><dict>\(string("NSExtensionPointIdentifier", point))"
            + "\(string("NSExtensionPrincipalClass", "Share.Handler"))</dict>"
    }

    static func entries(identifier: String, executable: String, version: String = "42") -> [String] {
        [
            string("CFBundleIdentifier", identifier), string("CFBundleExecutable", executable),
            string("CFBundleVersion", version),
            string("CFBundleShortVersionString", "1.2"), string("CFBundleDisplayName", "A Name"), declaration(),
        ]
    }
}
