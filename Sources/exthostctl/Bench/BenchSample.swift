// BenchSample: the sample ShareLink in an extension's place, to compare that with.

import ExtensionHostTesting
import ExtensionProtocol
import ExtensionRegistry
import Foundation
import LinuxSystem

/// An app in a temporary folder, whose extension is the sample's program at another extension's point. Gone with its last reference.
final class BenchSample: Sendable {
    static let identifier = "org.exthost.bench.sample"
    /// The target's name, its module's and its class's.
    private static let sample = "ShareLink"
    private static let sampleIdentifier = "org.exthost.samples.share"
    /// Of a program that is registered by its path.
    private static let pointWithoutInterface = "com.apple.app.non-ui-extension"

    private let folder: TemporaryDirectory

    /// For a daemon's `--applications`.
    var path: String { folder.path }

    /// - Parameters:
    ///   - program: the sample's.
    ///   - point: nil for one without interface and with a process for each request.
    init(program: String, point: String?) throws {
        folder = try TemporaryDirectory(prefix: "exthost-bench")
        let app = folder.path + "/Bench.app"
        let bundle = app + "/PlugIns/Sample.appex"
        let files = FileManager.default
        try files.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try Self.write(["CFBundleIdentifier": "org.exthost.bench", "CFBundleVersion": "1"], to: app)
        try Self.write(
            [
                "CFBundleIdentifier": Self.identifier, "CFBundleExecutable": Self.sample, "CFBundleVersion": "1",
                "NSExtension": [
                    "NSExtensionPointIdentifier": point ?? Self.pointWithoutInterface,
                    "NSExtensionPrincipalClass": "\(Self.sample).\(Self.sample)",
                    "NSExtensionAttributes": ["NSExtensionActivationRule": "TRUEPREDICATE"],
                ] as [String: Any],
            ], to: bundle)
        let executable = bundle + "/" + Self.sample
        // The same file where it can be: what is in the page cache is measured then, as it is of the other.
        if link(program, executable) != 0 { try files.copyItem(atPath: program, toPath: executable) }
    }

    deinit { try? folder.remove() }

    private static func write(_ information: [String: Any], to bundle: String) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
        try data.write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
    }

    /// Where the sample's program is: beside this one, as SwiftPM builds it, else in the sample's bundle; nil where there is none.
    static func program(among folders: [String]) async -> String? {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let neighbour = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(sample).path
        if FileManager.default.isExecutableFile(atPath: neighbour) { return neighbour }
        guard let records = try? await TestSubject.records(folders + SearchPath.standard),
            let found = records.first(where: { $0.identifier == sampleIdentifier && $0.problems.isEmpty })
        else { return nil }
        // Flat, or as macOS has it.
        return [found.path + "/\(sample)", found.path + "/Contents/MacOS/\(sample)"].first(
            where: FileManager.default.isExecutableFile)
    }
}
