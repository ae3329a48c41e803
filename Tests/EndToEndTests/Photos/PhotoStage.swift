// PhotoStage: a daemon, a library and photo editing extensions for one test, with an inspector that reads no pixels.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import ImageCodecs
import LinuxSystem
import PointHosts
import Testing

/// A stage for tests of photo editing. The files of its photos are no images: they begin as JPEG files do, and end with
/// eight letters, by which the extension's output names them.
struct PhotoStage {
    static let editor = "org.exthost.tests.editor"

    let daemon: TestDaemon
    let host: FakeHost
    let photos: PhotoEditingHost
    let output: Output
    let folder: String
    let bundles: TestBundles

    var library: AssetLibrary { photos.library }

    /// The lines that the extensions have printed so far.
    func lines() async throws -> [String] {
        try await host.application.fence()
        return output.text.split(separator: "\n").map(String.init)
    }

    /// Adds a photo with this name, of eight letters, to the library.
    func add(_ name: String = "original", header: [UInt8] = PhotoStage.jpeg) throws -> AssetLibrary.Asset {
        let path = "\(folder)/\(name).jpg"
        try Data(header + Array(name.utf8)).write(to: URL(fileURLWithPath: path))
        return try library.add(path)
    }

    /// Sets the file that the editor answers with.
    func setRendering(_ bytes: [UInt8], of name: String = "editor") throws {
        let path = "\(bundles.path)/Tests.app/PlugIns/\(name).appex/rendering"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// The first bytes of a JPEG file, a PNG file and a QuickTime file.
    static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0] + Array(repeating: 0, count: 12)
    static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + Array(repeating: 0, count: 12)
    static let quickTime: [UInt8] = [0, 0, 0, 20] + Array("ftypqt  ".utf8) + Array(repeating: 0, count: 12)

    /// The last eight letters of a file.
    static func name(_ path: String) -> String {
        String(decoding: (FileManager.default.contents(atPath: path) ?? Data()).suffix(8), as: UTF8.self)
    }

    /// Starts a daemon with the editor.
    ///
    /// - Parameters:
    ///   - wish: what the editor does.
    ///   - principal: its principal class.
    ///   - media: `PHSupportedMediaTypes`; nil: the key is missing.
    ///   - others: more extensions, by name, with their wishes.
    ///   - inspector: the reader of photos.
    static func with(
        _ wish: String = "", principal: String = "EditingController", media: [String]? = ["Image"],
        others: KeyValuePairs<String, String> = [:], inspector: any PhotoInspecting = LetterInspector(),
        _ body: (PhotoStage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        func add(_ name: String, _ wish: String) throws {
            var declaration: [String: Any] = [
                "NSExtensionPointIdentifier": "com.apple.photo-editing",
                "NSExtensionPrincipalClass": "Darkroom.\(principal)",
            ]
            if let media { declaration["NSExtensionAttributes"] = ["PHSupportedMediaTypes": media] }
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Darkroom", point: "com.apple.photo-editing",
                rule: nil, information: ["TestWish": wish, "NSExtension": declaration])
        }
        try add("editor", wish)
        for (name, wish) in others { try add(name, wish) }
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let output = Output()
            let host = try await daemon.host("photos", onOutput: output.add)
            let library = try AssetLibrary(folder: folder.path + "/library")
            let stage = PhotoStage(
                daemon: daemon, host: host,
                photos: PhotoEditingHost(host.application, library: library, inspector: inspector), output: output,
                folder: folder.path, bundles: bundles)
            for name in ["editor"] + others.map(\.key) {
                try stage.setRendering(jpeg + Array("rendered".utf8), of: name)
            }
            try await body(stage)
        }
    }
}

/// An inspector that reads the letters of a file: `turned` has the orientation 6, and `damaged` cannot be decoded.
struct LetterInspector: PhotoInspecting {
    func header(of path: String) -> ImageHeader {
        let isTurned = PhotoStage.name(path).hasSuffix("turned")
        return ImageHeader(format: .jpeg, width: 40, height: 30, orientation: isTurned ? 6 : 1)
    }

    func decode(_ path: String) throws(ExtensionHostError) {
        guard PhotoStage.name(path).hasSuffix("damaged") else { return }
        throw ExtensionHostError(.invalidArgument, "premature end of file")
    }

    func thumbnail(of path: String, longestSide: Int) -> [UInt8] {
        PhotoStage.jpeg + Array(PhotoStage.name(path).utf8)
    }

    func changedPixels(_ path: String, _ other: String) -> (changed: Int, total: Int) { (0, 1200) }
}

/// An inspector of a machine without the codecs.
struct NoCodecs: PhotoInspecting {
    private var missing: ExtensionHostError { ExtensionHostError(.helperMissing, "there are no codecs") }

    func header(of path: String) throws(ExtensionHostError) -> ImageHeader { throw missing }
    func decode(_ path: String) throws(ExtensionHostError) { throw missing }
    func thumbnail(of path: String, longestSide: Int) throws(ExtensionHostError) -> [UInt8] { throw missing }
    func changedPixels(_ path: String, _ other: String) throws(ExtensionHostError) -> (changed: Int, total: Int) {
        throw missing
    }
}
