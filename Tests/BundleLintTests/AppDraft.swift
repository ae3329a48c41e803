// AppDraft: an app with one extension, faultless until a test changes something, written to a temporary folder.

import Glibc
import LinuxSystem
import PropertyListCoding

struct AppDraft {
    /// The keys of one dictionary, each with the XML of its value.
    struct Keys {
        var entries: [(key: String, value: String)]

        subscript(key: String) -> String? {
            get { entries.first { $0.key == key }?.value }
            set {
                let place = entries.firstIndex { $0.key == key }
                switch (place, newValue) {
                case (let place?, let value?): entries[place].value = value
                case (let place?, nil): entries.remove(at: place)
                case (nil, let value?): entries.append((key, value))
                case (nil, nil): break
                }
            }
        }

        /// Each key in a line of its own.
        var xml: String { "<dict>\n" + entries.map { "<key>\($0.key)</key>\n\($0.value)\n" }.joined() + "</dict>" }
    }

    static let bundle = "PlugIns/Share.appex/"

    var app = Keys(entries: [
        ("CFBundleIdentifier", string("org.example.app")), ("CFBundleDisplayName", string("Example")),
        ("CFBundleShortVersionString", string("1.0")), ("CFBundleVersion", string("1")),
    ])
    var information = Keys(entries: [
        ("CFBundleIdentifier", string("org.example.app.share")), ("CFBundleDisplayName", string("Share")),
        ("CFBundleExecutable", string("Share")), ("CFBundlePackageType", string("XPC!")),
        ("CFBundleShortVersionString", string("1.0")), ("CFBundleVersion", string("1")),
    ])
    /// Under `NSExtension`; nil for none.
    var declaration: Keys? = Keys(entries: [
        ("NSExtensionPointIdentifier", string("com.apple.share-services")),
        ("NSExtensionPrincipalClass", string("Share.Share")),
    ])
    var attributes = Keys(entries: [
        ("NSExtensionActivationRule", "<dict><key>NSExtensionActivationSupportsText</key><true/></dict>")
    ])
    /// The first bytes of a program of this machine.
    var program: [UInt8]? = ownHeader
    /// In the place of the extension's `Info.plist`, and of the app's.
    var informationFile: [UInt8]?
    var appFile: [UInt8]?
    /// Paths inside the app.
    var files: [(path: String, bytes: [UInt8])] = []

    static func string(_ text: String) -> String { "<string>\(text)</string>" }

    static func document(_ root: String) -> [UInt8] {
        Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n\(root)\n</plist>\n".utf8)
    }

    /// The first bytes of the test's own program, which is one of this machine, without its segments: those are not
    /// there.
    static let ownHeader: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 64)
        guard let descriptor = try? openForReading("/proc/self/exe") else { return [] }
        let count = bytes.withUnsafeMutableBytes { (try? readFile(descriptor.raw, into: $0)) ?? 0 }
        // e_phnum
        let place = bytes[4] == 2 ? 56 : 44
        (bytes[place], bytes[place + 1]) = (0, 0)
        return count == 64 ? bytes : []
    }()

    /// A program's header with one byte other than this machine's.
    static func header(_ offset: Int, _ byte: UInt8) -> [UInt8] {
        var bytes = ownHeader
        bytes[offset] = byte
        return bytes
    }

    var rule: String? {
        get { attributes["NSExtensionActivationRule"] }
        set { attributes["NSExtensionActivationRule"] = newValue }
    }

    /// The extension's whole `Info.plist`.
    var informationBytes: [UInt8] {
        var keys = information
        if var declaration {
            if !attributes.entries.isEmpty { declaration["NSExtensionAttributes"] = attributes.xml }
            keys["NSExtension"] = declaration.xml
        }
        return informationFile ?? Self.document(keys.xml)
    }

    /// Writes `NAME.app` into `folder`, and returns its path. Modes do not depend on who runs the test.
    @discardableResult
    func write(_ name: String = "Example", into folder: String) throws -> String {
        let path = "\(folder)/\(name).app"
        let bundle = path + "/" + Self.bundle
        try make("Info.plist", appFile ?? Self.document(app.xml), in: path)
        try make("Info.plist", informationBytes, in: bundle)
        if let program { try make("Share", program, in: bundle, mode: 0o755) }
        for file in files { try make(file.path, file.bytes, in: path) }
        return path
    }

    private func make(_ name: String, _ bytes: [UInt8], in folder: String, mode: mode_t = 0o644) throws {
        let path = folder + "/" + name
        var made = ""
        for part in path.split(separator: "/").dropLast() {
            made += "/" + part
            if mkdir(made, 0o755) == 0 { chmod(made, 0o755) }
        }
        // Two parts of a draft may write the same file, and the later counts.
        unlink(path)
        let descriptor = try createFile(path)
        try bytes.withUnsafeBytes { try LinuxSystem.write($0, to: descriptor.raw) }
        guard chmod(path, mode) == 0 else { throw SystemError("chmod") }
    }
}
