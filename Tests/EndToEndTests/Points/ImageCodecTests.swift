// ImageCodecTests: machines without the libraries that decode images.

import Foundation
import Glibc
import ImageCodecs
import LinuxSystem
import TestPrograms
import Testing

@Suite struct ImageCodecTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    /// Runs a program in a namespace of mounts in which a library is an empty file.
    private func without(_ library: String, _ program: String, _ arguments: [String]) throws -> Program {
        let script = """
            set -e
            file=$(/sbin/ldconfig -p | sed -n "s/.* => \\(.*\\/$1\\)\\$/\\1/p" | head -1)
            mount --bind /dev/null "$(realpath "$file")"
            shift
            exec "$@"
            """
        return try Program.run(
            "/usr/bin/unshare",
            ["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", library, program] + arguments,
            socket: "", environment: installation.environment)
    }

    /// A PNG file of one pixel.
    private static let png = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNI61j1HwAFiAKYYfIIaAAAAABJRU5ErkJggg==")!

    @Test("PE-18: with the libraries an image has pixels, also in another format")
    func anImageHasPixels() async throws {
        let file = installation.temporary + "/one.png"
        try Self.png.write(to: URL(fileURLWithPath: file))
        let ending = try await Program.run(SampleApplications.buildFolder + "/ImageFacts", [file], socket: "").ending()
        #expect(ending.output == String(repeating: "size 1.0 1.0 pixels 1x1 jpeg new png new\n", count: 2))
        #expect(ending.errors == "")
    }

    // spec: PE-18
    @Test(
        "PE-18: without its library an image stays its bytes, and the package is named once",
        .enabled(if: hasMountNamespaces, "this user may have no namespace of mounts"))
    func withoutALibraryBytesStayBytes() async throws {
        let file = installation.temporary + "/one.png"
        try Self.png.write(to: URL(fileURLWithPath: file))
        let program = SampleApplications.buildFolder + "/ImageFacts"
        let ending = try await without("libpng16.so.16", program, [file]).ending()
        #expect(ending.output == String(repeating: "size 1.0 1.0 pixels none jpeg none png own\n", count: 2))
        #expect(ending.errors.contains("helperMissing: libpng16.so.16 cannot be loaded"))
        #expect(ending.errors.contains("apt install libpng16-16"))
        #expect(ending.errors.split(separator: "\n").count == 1, "\(ending.errors)")
    }

    // spec: PC-25
    @Test(
        "PC-25: doctor names the package of a missing library, and what still works",
        .enabled(if: hasMountNamespaces, "this user may have no namespace of mounts"),
        arguments: [("libpng16.so.16", "libpng16-16", "PNG"), ("libturbojpeg.so.0", "libturbojpeg0", "JPEG")])
    func doctorNamesThePackage(library: String, package: String, format: String) async throws {
        let tool = SampleApplications.buildFolder + "/exthostctl"
        let report = try await installation.report(of: try without(library, tool, ["doctor", "--json"]))
        let finding = try report.only("imageCodecs")
        #expect(finding.status == "warning" && finding.remedy == "apt install \(package)", "\(finding)")
        #expect(finding.found.hasPrefix("\(format) images stay bytes, because \(library) cannot be loaded ("))
    }

    /// The file of a photo of 12 megapixels, whose pixels take 48 MB.
    private func photo() throws -> String {
        let pixels = try Pixels(width: 4000, height: 3000, copying: [UInt8](repeating: 200, count: 48_000_000))
        let path = installation.temporary + "/photo.jpg"
        try Data(ImageCodec.encode(pixels, as: .jpeg)).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Kilobytes that are three times the pixels of the photo.
    private static let most = 3 * 48_000_000 / 1024

    @Test(
        "PE-18: an edit of a photo of 12 megapixels takes less than three times the memory of its pixels",
        .enabled(if: getenv("EXTHOST_SANITIZER") == nil, "a sanitizer takes memory, too"))
    func anEditTakesLittleMemory() async throws {
        let ending = try await Program.run(
            SampleApplications.buildFolder + "/ImageFacts", [try photo(), "edit"], socket: ""
        ).ending()
        let match = try #require(ending.output.firstMatch(of: /^rendering (\d+) peak (\d+)/), "\(ending)")
        let peak = try #require(Int(match.2))
        #expect(peak > 2 * 48_000_000 / 1024 && peak < Self.most, "\(peak) KB")
    }

    @Test(
        "PE-10: the process that decodes for a host takes less than three times the memory of the pixels",
        .enabled(if: getenv("EXTHOST_SANITIZER") == nil, "exthost-images does not run under a sanitizer"))
    func aHelperTakesLittleMemory() async throws {
        let script = """
            import fcntl, os, sys
            program, photo, *words = sys.argv[1:]
            image = fcntl.fcntl(os.open(photo, os.O_RDONLY), fcntl.F_DUPFD, 10)
            answer = fcntl.fcntl(os.memfd_create("answer", 0), fcntl.F_DUPFD, 10)
            actions = [(os.POSIX_SPAWN_DUP2, image, 0), (os.POSIX_SPAWN_DUP2, image, 4), (os.POSIX_SPAWN_DUP2, answer, 3)]
            pid = os.posix_spawn(program, [program, *words], {}, file_actions=actions)
            _, status, usage = os.wait4(pid, 0)
            print(status, os.fstat(answer).st_size, usage.ru_maxrss)
            """
        let path = try photo()
        for (words, size) in [
            (["check"], 4096), (["pixels", "1024"], 4096 + 1024 * 768 * 4), (["pixels", "0"], 4096 + 48_000_000),
            (["compare", "0"], 4096),
        ] {
            let program = SampleApplications.buildFolder + "/exthost-images"
            let ending = try await Program.run(
                "/usr/bin/python3", ["-c", script, program, path] + words, socket: ""
            ).ending()
            let numbers = ending.output.split { " \n".contains($0) }.compactMap { Int($0) }
            try #require(numbers.count == 3, "\(ending)")
            #expect(numbers[0] == 0 && numbers[1] == size && numbers[2] < Self.most, "\(words): \(numbers)")
        }
    }

    @Test func doctorFindsLibrariesAndProgram() async throws {
        let finding = try await installation.doctor().only("imageCodecs")
        #expect(finding.status == "ok" && finding.found.hasSuffix("/exthost-images"), "\(finding)")
        let absent = try await installation.report(
            of: try Program.control(
                ["doctor", "--json"], environment: installation.environment.merging(["EXTHOST_IMAGES": "/none"]) { $1 })
        )
        let second = try absent.only("imageCodecs")
        #expect(second.status == "warning" && second.found.contains("was not found at /none"), "\(second)")
        #expect(second.remedy?.contains("EXTHOST_IMAGES") == true)
    }
}
