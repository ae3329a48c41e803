// FrameworkBundleTests: a package's framework, built by `exthostctl bundle` and loaded by the app that it is put into.

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct FrameworkBundleTests {
    private static let information = """
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>IDENTIFIER</string><key>CFBundleDisplayName</key><string>Notes</string>
        MORE
        </dict></plist>
        """

    private func write(_ files: [String: String], in folder: String) throws {
        for (name, text) in files {
            let file = URL(fileURLWithPath: "\(folder)/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    private func information(_ identifier: String, _ more: String) -> String {
        Self.information.replacing("IDENTIFIER", with: identifier).replacing("MORE", with: more)
    }

    // spec: CL-14
    @Test("CL-14: bundle --dynamic builds a framework of a package into the app, which loads it by name")
    func aPackagesFramework() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try write(
            [
                "Package.swift": """
                // swift-tools-version: 6.0
                import PackageDescription
                let package = Package(
                    name: "Notes", products: [.library(name: "NotesKit", type: .dynamic, targets: ["NotesKit"])],
                    targets: [.executableTarget(name: "Notes"), .target(name: "NotesKit")])
                """,
                "Sources/Notes/Info.plist": information("org.example.notes", ""),
                "Sources/Notes/Notes.swift": """
                import Foundation
                @main struct Notes {
                    static func main() {
                        let kit = Bundle(path: Bundle.main.bundlePath + "/Frameworks/NotesKit.framework")
                        print(kit?.load() ?? false, kit?.principalClass.map { "\\($0)" } ?? "nil")
                    }
                }
                """,
                "Sources/NotesKit/Info.plist": information(
                    "org.example.notes.NotesKit",
                    "<key>CFBundlePackageType</key><string>FMWK</string>"
                        + "<key>NSPrincipalClass</key><string>NotesKit.Note</string>"),
                "Sources/NotesKit/Note.swift": "public final class Note {}",
                "Sources/NotesKit/words.txt": "words",
                // A script, so that nothing but the app and its framework is built.
                "Share/Info.plist": information(
                    "org.example.notes.share",
                    "<key>CFBundleExecutable</key><string>share</string><key>NSExtension</key><dict>"
                        + "<key>NSExtensionPointIdentifier</key><string>com.apple.share-services</string>"
                        + "<key>NSExtensionAttributes</key><dict><key>NSExtensionActivationRule</key><dict>"
                        + "<key>NSExtensionActivationSupportsText</key><true/></dict></dict></dict>"),
                "Share/share": "#!/bin/sh\n",
            ], in: folder.path)
        chmod("\(folder.path)/Share/share", 0o755)
        let bundled = try await Shell(folder: folder.path).run("exthostctl bundle --dynamic --quiet")
        try #require(bundled.status == 0, "\(bundled)")
        let app = folder.path + "/.build/bundles/Notes.app"
        let files = try FileManager.default.contentsOfDirectory(atPath: app + "/Frameworks/NotesKit.framework")
        #expect(files.sorted() == ["Info.plist", "NotesKit", "words.txt"])
        let ran = try await Shell(folder: folder.path).run("exthostctl app --ephemeral .build/bundles/Notes.app")
        #expect(ran.status == 0 && ran.output == "true Note\n", "\(ran)")
        // The mode without --dynamic is told by lint.
        let programs = try await Shell(folder: folder.path).run("exthostctl bundle --quiet")
        #expect(programs.status == 0 && programs.output.contains("[staticProgramLoadsSwiftFramework]"), "\(programs)")
    }
}
