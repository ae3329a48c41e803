// BenchApplications: the echo extension as many bundles, in an app of its own folder.

import Foundation

struct BenchApplications {
    /// How many processes serve an extension's requests.
    enum Kind: String {
        /// One for each request.
        case cold = "com.apple.app.non-ui-extension"
        /// One for all.
        case warm = "com.apple.share-services"
        /// One for each request, of which some wait for it.
        case parked = "org.exthost.bench.parked"
        /// One for all, with calls.
        case calls = "org.exthost.bench.calls"
    }

    /// Processes of an extension that wait, of the kind `parked`.
    static let waiting = 2

    let path: String
    let identifiers: [String]
    /// The option that names the folder with the points of the kinds `parked` and `calls`.
    var points: [String] { ["--extension-points", path + "/points"] }
    /// A configuration that leaves room for a thousand of everything.
    var configuration: String { path + "/exthostd.plist" }

    init(program: String, kind: Kind, count: Int = 1) throws {
        path = "/var/tmp/exthost-bench-\(getpid())"
        let files = FileManager.default
        try files.createDirectory(atPath: path + "/Bench.app/PlugIns", withIntermediateDirectories: true)
        // Of the same file system by its name alone.
        do { try files.linkItem(atPath: program, toPath: path + "/echo") } catch {
            try files.copyItem(atPath: program, toPath: path + "/echo")
        }
        try Self.write(
            "<key>CFBundleIdentifier</key><string>org.exthost.bench</string>", to: path + "/Bench.app/Info.plist")
        var identifiers: [String] = []
        for number in 0..<count {
            let bundle = "\(path)/Bench.app/PlugIns/echo\(number).appex"
            try files.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            // One file, and its pages, for all.
            try files.linkItem(atPath: path + "/echo", toPath: bundle + "/echo")
            identifiers.append("org.exthost.bench.echo\(number)")
            try Self.write(
                """
                <key>CFBundleIdentifier</key><string>\(identifiers[number])</string>
                <key>CFBundleExecutable</key><string>echo</string><key>NSExtension</key><dict>
                <key>NSExtensionPointIdentifier</key><string>\(kind.rawValue)</string>
                <key>NSExtensionPrincipalClass</key><string>Echo.Echo</string>
                <key>NSExtensionAttributes</key><dict><key>NSExtensionActivationRule</key><string>TRUEPREDICATE</string></dict>
                </dict>
                """, to: bundle + "/Info.plist")
        }
        self.identifiers = identifiers
        try files.createDirectory(atPath: path + "/points", withIntermediateDirectories: true)
        try Self.write(
            """
            <key>Identifier</key><string>\(Kind.parked.rawValue)</string><key>Interface</key><false/>
            <key>ProcessPolicy</key><string>onePerRequest</string><key>Prewarm</key><integer>\(Self.waiting)</integer>
            """, to: path + "/points/parked.plist")
        try Self.write(
            """
            <key>Identifier</key><string>\(Kind.calls.rawValue)</string><key>Interface</key><false/>
            <key>Framework</key><string>Echo</string><key>Accepts</key><array><string>bench.time</string></array>
            <key>Sends</key><array><string>bench.fetch</string></array>
            <key>Timers</key><dict><key>request</key><string>off</string><key>call</key><string>10min</string></dict>
            """, to: path + "/points/calls.plist")
        let room = ["Requests", "Descriptors", "Processes"].map { "<key>\($0)</key><integer>20000</integer>" }.joined()
        try Self.write(
            "<key>HostQuota</key><dict>\(room)</dict><key>UserQuota</key><dict>\(room)</dict>"
                + "<key>Timers</key><dict><key>idle</key><string>60min</string></dict>", to: configuration)
    }

    private static func write(_ entries: String, to path: String) throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\(entries)</dict></plist>\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
