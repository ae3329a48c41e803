// PhotoRunTests: photos with real pixels: the sample, `exthostctl run --photo`, and the sizes of an input.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import ImageCodecs
import LinuxSystem
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct PhotoRunTests {
    private static let sepia = "org.exthost.samples.sepia"

    /// Makes a photograph: a JPEG file of stripes, whose first pixels are red.
    private static func photo(_ width: Int, _ height: Int, orientation: UInt8 = 1) throws -> [UInt8] {
        var (row, corner): ([UInt8], [UInt8]) = ([], [])
        for x in 0..<width {
            let stripe: [UInt8] = [UInt8(x * 200 / width), UInt8(x / 4 & 127), 90, 255]
            row += stripe
            corner += x < width / 8 ? [250, 0, 0, 255] : stripe
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 4)
        // The red corner shows how the image is turned.
        for y in 0..<height { bytes += y < height / 8 ? corner : row }
        return try ImageCodec.encode(
            try Pixels(width: width, height: height, copying: bytes), as: .jpeg, orientation: orientation)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Decodes a JPEG file by Pillow of Debian's Python, which has nothing of ours. Prints its size, its orientation,
    /// and by how much the corner at the top right is redder than the one at the top left.
    private static let reader = """
        import sys
        from PIL import Image
        image = Image.open(sys.argv[1])
        assert image.format == "JPEG"
        image.load()
        left, right = (image.getpixel((x, 60))[0] for x in (60, image.width - 60))
        print(*image.size, image.getexif().get(274), right - left)
        """

    /// Runs a program, and prints the largest memory of it and of the processes that it has waited for, in KiB.
    private static let measuring = """
        import resource, subprocess, sys
        status = subprocess.call(sys.argv[1:])
        print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
        sys.exit(status)
        """

    // spec: PE-5, PE-9, PE-23
    @Test("PE-5, PE-9, PE-23: run edits a photo of 12 megapixels that lies on its side, in bounded memory")
    func aLargePhoto() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let (input, out) = (folder.path + "/in.jpg", folder.path + "/out.jpg")
        let original = try Self.photo(4032, 3024, orientation: 6)
        try Self.write(original, to: input)
        // The idle extension stays until its memory is read.
        try await withTestDaemon(applications: [try samples()], arguments: ["--timer", "idle=1h"]) { daemon in
            let arguments = [
                "run", Self.sepia, "--photo", input, "--out", out, "--adjustments", folder.path + "/adjustments",
            ]
            let first = try await Program.run(
                "/usr/bin/env",
                ["python3", "-c", Self.measuring, SampleApplications.buildFolder + "/exthostctl"] + arguments
                    + ["--json"],
                socket: daemon.address.path
            ).ending()
            #expect(first.status == 0, "\(first)")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(first.output.utf8)) as? [String: Any], "\(first)")
            #expect(report["result"] as? String == "saved" && report["continues"] as? Bool == false)
            let after = try #require(report["after"] as? [String: Any])
            #expect(after["width"] as? Int == 3024 && after["height"] as? Int == 4032)
            #expect(after["orientation"] as? Int == 1 && after["format"] as? String == "JPEG")
            let (changed, pixels) = (report["changedPixels"] as? Int ?? 0, report["pixels"] as? Int ?? 0)
            #expect(pixels == 4032 * 3024 && changed > pixels / 2, "\(report)")
            #expect(FileManager.default.contents(atPath: input) == Data(original))

            // Another program reads the whole image. It is stored upright: the red corner of the original is at the
            // top right now, and there is no orientation.
            let read = try await Program.run(
                "/usr/bin/python3", ["-c", Self.reader, out], socket: daemon.address.path
            ).ending()
            let words = read.output.split(whereSeparator: \.isWhitespace)
            #expect(read.status == 0 && words.prefix(3) == ["3024", "4032", "None"], "\(read)")
            #expect(try #require(words.last.flatMap { Int($0) }) > 30, "\(read)")

            // Three times the decoded image is the limit, for each process.
            let limit = 3 * 4032 * 3024 * 4 / 1024
            let peak = first.errors.split(separator: "\n").last { $0.hasPrefix("peak ") }
                .flatMap { Int($0.dropFirst(5)) }
            let pid = try #require(report["pid"] as? Int)
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let highest = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
                .flatMap { Int($0.split(whereSeparator: { " \t".contains($0) })[1]) }
            if !isSanitized {
                #expect(try #require(peak) < limit, "the host and its reader of photos: \(limit) KiB")
                #expect(try #require(highest) < limit, "the extension: \(limit) KiB")
            }

            let edited = FileManager.default.contents(atPath: out)
            // The next run continues: the original again, with the adjustment data.
            let second = try await json(arguments + ["--tap", "Weaker"], daemon)
            #expect(second["result"] as? String == "saved" && second["continues"] as? Bool == true, "\(second)")
            #expect(FileManager.default.contents(atPath: out) != edited)
        }
    }

    // spec: PE-5
    @Test("PE-5: the size for the screen is upright, and the copy of the file is gone after the session")
    func theSizesOfTheInput() async throws {
        try await PhotoStage.with("describe paths nothing", inspector: try ImageInspector()) { stage in
            let path = stage.folder + "/turned.jpg"
            try Self.write(try Self.photo(1600, 1200, orientation: 6), to: path)
            let asset = try stage.library.add(path)
            for _ in 1...2 { _ = try await stage.photos.begin(PhotoStage.editor, editing: asset.id).finish() }
            let lines = try await stage.lines()
            #expect(lines.filter { $0 == "type public.jpeg, orientation 6" }.count == 2, "\(lines)")
            #expect(lines.filter { $0 == "display 768x1024" }.count == 2, "\(lines)")
            #expect(lines.contains("the first copy is gone"), "\(lines)")
        }
    }

    // spec: PE-8, PE-9, PE-10
    @Test(
        "PE-8, PE-9, PE-10: a cut file, a PNG and a turned image are refused with their reasons",
        arguments: ["cut", "png", "turned", "text"])
    func realFilesAreRefused(kind: String) async throws {
        try await PhotoStage.with(inspector: try ImageInspector()) { stage in
            let path = stage.folder + "/photo.jpg"
            let photo = try Self.photo(160, 120)
            try Self.write(photo, to: path)
            let asset = try stage.library.add(path)
            let rendering: [UInt8] =
                switch kind {
                case "cut": Array(photo.prefix(photo.count / 2))
                case "png": try ImageCodec.encode(try ImageCodec.decode(photo), as: .png)
                case "turned": try Self.photo(160, 120, orientation: 8)
                default: PhotoStage.jpeg + Array("no pixels".utf8)
                }
            try stage.setRendering(rendering)
            let session = try await stage.photos.begin(PhotoStage.editor, editing: asset.id)
            let fault = await #expect(throws: PhotoEditFault.self) { try await session.finish() }
            switch kind {
            case "png": #expect(fault == .wrongFormat(.png, wanted: .jpeg))
            case "turned": #expect(fault == .wrongOrientation(8))
            default: #expect(fault?.name == "undecodable", "\(String(describing: fault))")
            }
            #expect(try stage.library.asset(asset.id) == asset)
            #expect(FileManager.default.contents(atPath: asset.original) == Data(photo))
            // The same extension with a good file.
            try stage.setRendering(try Self.photo(120, 160))
            let edit = try await stage.photos.begin(PhotoStage.editor, editing: asset.id).finish()
            #expect(edit?.after?.width == 120 && edit?.after?.height == 160 && edit?.remarks == [])
        }
    }

    // spec: PE-23
    @Test("PE-23: run reports a refused edit, a cancelled one, and an edit by a person")
    func theReportsOfRun() async throws {
        let bundles = try TestBundles()
        for (name, wish) in [
            ("bad", "noRendering"), ("none", "nothing"), ("asking", "confirm"), ("dead", "dieInFinish"),
        ] {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Darkroom", point: "com.apple.photo-editing",
                principalClass: "Darkroom.EditingController", rule: nil, information: ["TestWish": wish])
        }
        let photo = bundles.path + "/photo.jpg"
        try Self.write(try Self.photo(64, 48), to: photo)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            func run(_ name: String, _ arguments: [String] = [], input: String = "") async throws -> Program.Ending {
                let lines = bundles.path + "/input"
                try Data(input.utf8).write(to: URL(fileURLWithPath: lines))
                return try await Program.run(
                    SampleApplications.buildFolder + "/exthostctl",
                    ["run", "org.exthost.tests.\(name)", "--photo", photo] + arguments, socket: daemon.address.path,
                    input: SharedDescriptor(try openForReading(lines))
                ).ending()
            }
            let bad = try await run("bad", ["--out", bundles.path + "/out.jpg"])
            #expect(bad.status == 1 && bad.output.hasPrefix("refused: org.exthost.tests.bad, pid"), "\(bad)")
            #expect(bad.output.contains("noRendering: there is no regular file at renderedContentURL"), "\(bad)")
            #expect(!FileManager.default.fileExists(atPath: bundles.path + "/out.jpg"))
            let none = try await run("none")
            #expect(none.status == 0 && none.output.hasPrefix("nothing to save: org.exthost.tests.none"), "\(none)")
            let asking = try await run("asking", ["--interactive"], input: "fly\ncancel\ncancel\n")
            #expect(asking.status == 0 && asking.output.hasPrefix("cancelled: "), "\(asking)")
            #expect(
                asking.errors.contains("cancel again to confirm") && asking.errors.contains("“fly” is not an act"),
                "\(asking)")
            let done = try await run("none", ["--interactive"], input: "done\n")
            #expect(done.output.hasPrefix("nothing to save"), "\(done)")
            let dead = try await run("dead")
            #expect(dead.status == 11 && dead.output.hasPrefix("failed: org.exthost.tests.dead"), "\(dead)")
            let missing = try await control(["run", "org.exthost.tests.none"], daemon)
            #expect(missing.status == 64 && missing.errors.contains("--photo"), "\(missing)")
            let text = try await control(["run", "org.exthost.tests.none", "--photo", "/etc/passwd"], daemon)
            #expect(text.status == 64 && text.errors.contains("is no JPEG, PNG or QuickTime file"), "\(text)")
        }
    }

    @Test("PC-27: a scenario edits a photo, continues the edit, and drops it")
    func aScenario() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try Self.write(try Self.photo(64, 48, orientation: 6), to: folder.path + "/in.jpg")
        let scenario = """
            extension \(Self.sepia)
            test "an edit and the next one"
              edit in.jpg
              expect view "80 %"
              finish
              expect result saved
              expect shown adjustment.formatIdentifier = "org.exthost.samples.sepia"
              expect shown after.width = 48
              edit in.jpg
              view tap Weaker
              expect view "60 %"
              discard goOn
              expect result goesOn
              discard
              expect result cancelled
              revert
              expect outcome completed
            test "it is not so"
              edit in.jpg
              finish
              expect result refused
            """
        try Data((scenario + "\n").utf8).write(to: URL(fileURLWithPath: folder.path + "/photo.scenario"))
        let ending = try await Program.control(
            ["test", folder.path + "/photo.scenario", "--applications", try samples(), "--tap"]
        ).ending()
        #expect(ending.status == 1 && ending.output.contains("ok 1 - an edit and the next one"), "\(ending)")
        #expect(ending.output.contains("not ok 2 - it is not so"), "\(ending)")
    }

    @Test("PC-25: without a part of the installation no photo is edited, and a damaged one is not given away")
    func whatIsMissingOrDamagedIsNamed() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "editor", program: SampleApplications.buildFolder + "/Darkroom", point: "com.apple.photo-editing",
            principalClass: "Darkroom.EditingController", rule: nil)
        let (whole, cut) = (bundles.path + "/whole.jpg", bundles.path + "/cut.jpg")
        let bytes = try Self.photo(64, 48)
        try Self.write(bytes, to: whole)
        try Self.write(Array(bytes.prefix(bytes.count / 2)), to: cut)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            func run(_ photo: String, _ environment: [String: String] = [:]) async throws -> Program.Ending {
                try await Program.control(
                    ["run", "org.exthost.tests.editor", "--photo", photo], socket: daemon.address.path,
                    environment: environment
                ).ending()
            }
            let missing = try await run(whole, ["EXTHOST_IMAGES": "/none"])
            #expect(missing.status != 0 && (missing.output + missing.errors).contains("/none"), "\(missing)")
            let damaged = try await run(cut)
            #expect(
                damaged.status != 0 && (damaged.output + damaged.errors).contains("cannot be decoded"), "\(damaged)")
            #expect(!(damaged.output + damaged.errors).contains("start "), "\(damaged)")
        }
    }

    // spec: PC-7
    @Test("PC-7: the explorer finds a photo editor that drops its completion handler")
    func theExplorerFindsADroppedHandler() async throws {
        for (wish, status) in [("nothing", Int32(0)), ("drop", 1)] {
            let bundles = try TestBundles()
            try bundles.add(
                "editor", program: SampleApplications.buildFolder + "/Darkroom", point: "com.apple.photo-editing",
                principalClass: "Darkroom.EditingController", rule: nil, information: ["TestWish": wish])
            let ending = try await Program.control(
                ["explore", "org.exthost.tests.editor", "--applications", bundles.path, "--schedules", "8"]
            ).ending()
            #expect(ending.status == status, "\(wish): \(ending)")
        }
    }
}
