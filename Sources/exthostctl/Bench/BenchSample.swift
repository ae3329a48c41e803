// BenchSample: the sample ShareLink in place of an extension, for a comparison.

import ExtensionHostTesting
import ExtensionProtocol
import ExtensionRegistry
import Foundation
import LinuxSystem

/// An app in a temporary folder, whose extension is the sample's program at another extension's point.
///
/// The folder is removed with the last reference.
final class BenchSample: Sendable {
    static let identifier = "org.exthost.bench.sample"
    /// The name of the target, of its module and of its class.
    private static let sample = "ShareLink"
    private static let sampleIdentifier = "org.exthost.samples.share"
    /// The point of a program that is registered by its path.
    private static let pointWithoutInterface = "com.apple.app.non-ui-extension"

    private let folder: TemporaryDirectory

    /// The folder for a daemon's `--applications`.
    var path: String { folder.path }

    /// - Parameters:
    ///  - program: the sample's program.
    ///  - point: nil for a point without interface and with one process per request.
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
        // A hard link to the same file if possible: then the page cache is warm, as for the other program.
        if link(program, executable) != 0 { try files.copyItem(atPath: program, toPath: executable) }
    }

    deinit { try? folder.remove() }

    private static func write(_ information: [String: Any], to bundle: String) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
        try data.write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
    }

    /// Returns the path of the sample's program: beside this one, as SwiftPM builds it, else in the sample's bundle.
    /// Nil if there is none.
    static func program(among folders: [String]) async -> String? {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let neighbour = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(sample).path
        if FileManager.default.isExecutableFile(atPath: neighbour) { return neighbour }
        guard let records = try? await TestSubject.records(folders + SearchPath.standard),
            let found = records.first(where: { $0.identifier == sampleIdentifier && $0.problems.isEmpty })
        else { return nil }
        // The bundle is flat, or has the layout of macOS.
        return [found.path + "/\(sample)", found.path + "/Contents/MacOS/\(sample)"].first(
            where: FileManager.default.isExecutableFile)
    }
}
