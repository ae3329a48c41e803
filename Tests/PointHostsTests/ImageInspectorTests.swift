// ImageInspectorTests: images of strangers, decoded in real processes of exthost-images.

import ExtensionProtocol
import Foundation
import Glibc
import ImageAnswers
import ImageCodecs
import LinuxSystem
import Testing

@testable import PointHosts

/// A sanitizer needs memory and system calls that the confinement of `exthost-images` refuses.
@Suite(.enabled(if: getenv("EXTHOST_SANITIZER") == nil, "exthost-images does not run under a sanitizer"))
struct ImageInspectorTests {
    private let inspector: ImageInspector

    init() throws { inspector = try ImageInspector() }

    @Test("PE-5: header and upright pixels of a scaled image come from the confined process", arguments: [1, 3, 6])
    func pixelsCome(orientation: Int) async throws {
        let stored = try Self.picture(600, 300)
        let file = try ImageCodec.encode(stored, as: .jpeg, quality: 1, orientation: UInt8(orientation))
        let image = try Self.open(file)
        let header = ImageHeader(format: .jpeg, width: 600, height: 300, orientation: UInt8(orientation))
        #expect(try await inspector.header(of: image) == header)
        #expect(try await inspector.check(image) == header)
        let small = try await inspector.pixels(of: image, longestSide: 100)
        #expect((small.width, small.height) == (orientation == 6 ? (50, 100) : (100, 50)))
        let here = try ImageCodec.decode(file, longestSide: 100).upright(from: UInt8(orientation))
        #expect(small.bytes == here.bytes)
        let whole = try await inspector.pixels(of: image)
        #expect(whole.bytes == (try ImageCodec.decode(file).upright(from: UInt8(orientation)).bytes))
    }

    @Test("PE-23: pixels are compared upright") func pixelsAreCompared() async throws {
        let picture = try Self.picture(64, 32)
        var bytes = picture.bytes
        for index in 0..<10 { bytes[index * 4] ^= 0x80 }
        let png = try Self.open(ImageCodec.encode(picture, as: .png))
        let changed = try Self.open(ImageCodec.encode(Pixels(width: 64, height: 32, copying: bytes), as: .png))
        #expect(try await inspector.differingPixels(png, png) == (0, 2048))
        #expect(try await inspector.differingPixels(png, changed) == (10, 2048))
        let jpeg = try Self.open(ImageCodec.encode(picture, as: .jpeg, quality: 1))
        #expect(try await inspector.differingPixels(png, jpeg, tolerance: 8) == (0, 2048))
        let turned = try Self.open(ImageCodec.encode(picture, as: .jpeg, quality: 1, orientation: 8))
        let upright = try Self.open(ImageCodec.encode(picture.upright(from: 8), as: .png))
        #expect(try await inspector.differingPixels(turned, upright, tolerance: 8) == (0, 2048))
        #expect(try await inspector.differingPixels(png, upright) == (2048, 2048))
    }

    @Test("PE-10: a cut, strange or huge image is an error of the image") func hostileImagesAreErrors() async throws {
        let file = try ImageCodec.encode(Self.picture(200, 200), as: .jpeg)
        let cut = try Self.open(Array(file.prefix(file.count / 2)))
        #expect(try await inspector.header(of: cut).width == 200)
        let error = await #expect(throws: ImageCodecError.self) { try await inspector.check(cut) }
        #expect(error == .damaged(.jpeg, "Premature end of JPEG file"))
        await #expect(throws: ImageCodecError.unknownFormat) {
            try await inspector.check(Self.open(Array("not an image".utf8)))
        }
        await #expect(throws: ImageCodecError.unknownFormat) { try await inspector.header(of: Self.open([])) }
        let bomb: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1, 0x11, 0]
        await #expect(throws: ImageCodecError.tooLarge(width: 65535, height: 65535)) {
            try await inspector.pixels(of: Self.open(bomb), longestSide: 10)
        }
        await #expect(throws: ImageCodecError.self) { try await inspector.pixels(of: cut, longestSide: 0) }
    }

    @Test func aFolderIsNoImage() async throws {
        let folder = SharedDescriptor(owning: Glibc.open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        let error = await #expect(throws: ExtensionHostError.self) { try await inspector.header(of: folder) }
        #expect(error?.code == .invalidArgument)
    }

    @Test(
        "PE-10: the process that decodes can open no file or socket, start nothing and execute no memory",
        arguments: ["open", "socket", "fork", "execute", "map", "write"])
    func confinementHolds(call: String) async throws {
        let image = try Self.open(ImageCodec.encode(Self.picture(8, 8), as: .png))
        let error = await #expect(throws: ExtensionHostError.self) {
            try await inspector.ask(["attempt", call], image)
        }
        #expect(error?.code == .interrupted)
        #expect(error?.message.contains("a system call that it must not make") == true)
        // Without an attempt the same way is an answer.
        let answer = try await inspector.ask(["attempt", "nothing"], image).answer
        #expect(answer.result == .done)
    }

    @Test func aHelperThatDoesNotEndIsKilledAtTheLimit() async throws {
        let script = try Script("exec sleep 1000")
        let slow = try ImageInspector(program: script.path, limit: .zero)
        let image = try Self.open([1])
        let error = await #expect(throws: ExtensionHostError.self) { try await slow.header(of: image) }
        #expect(error?.code == .timedOut)
    }

    @Test func cancellingTheTaskEndsTheHelper() async throws {
        let script = try Script("echo $$ >noted && mv noted pid && exec sleep 1000")
        let slow = try ImageInspector(program: script.path)
        let image = try Self.open([1])
        let task = Task { try await slow.header(of: image) }
        for _ in 0..<6_000 where access(script.folder.path + "/pid", R_OK) != 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        let text = try String(contentsOfFile: script.folder.path + "/pid", encoding: .utf8)
        let pid = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
        #expect(kill(pid, 0) == 0)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(kill(pid, 0) != 0)
    }

    @Test(arguments: [
        ("kill -9 $$", "was ended by signal 9"), ("exit 3", "ended without an answer"),
        ("exit 0", "gave an answer that it does not give"),
        ("head -c 4096 /dev/urandom >&3", "gave an answer that it does not give"),
    ])
    func aHelperThatLiesIsAnError(text: String, words: String) async throws {
        let script = try Script(text)
        let lying = try ImageInspector(program: script.path)
        let image = try Self.open([1])
        let error = await #expect(throws: ExtensionHostError.self) { try await lying.header(of: image) }
        #expect(error?.code == .interrupted && error?.message.contains(words) == true)
    }

    // spec: PC-25
    @Test("PC-25: a missing program and a missing library are helperMissing with the remedy")
    func whatIsMissingIsNamed() async throws {
        let image = try Self.open(ImageCodec.encode(Self.picture(8, 8), as: .png))
        let absent = try ImageInspector(program: "/nonexistent/exthost-images")
        let error = await #expect(throws: ExtensionHostError.self) { try await absent.header(of: image) }
        #expect(error?.code == .helperMissing && error?.message.contains("/nonexistent/exthost-images") == true)
        // The answer of a process that has found no library.
        let missing = ImageAnswer(.failed(.libraryMissing(.png, "no such file")))
        let script = try Script("cat answer >&3", answer: missing.encoded())
        let without = try ImageInspector(program: script.path)
        let second = await #expect(throws: ExtensionHostError.self) { try await without.check(image) }
        #expect(second?.code == .helperMissing && second?.remedy == "apt install libpng16-16")
        #expect(second?.message.contains("libpng16.so.16 cannot be loaded (no such file)") == true)
    }

    private static func picture(_ width: Int, _ height: Int) throws -> Pixels {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { bytes += [UInt8(x * 255 / width), UInt8(y * 255 / height), 90, 255] }
        }
        return try Pixels(width: width, height: height, copying: bytes)
    }

    private static func open(_ bytes: [UInt8]) throws -> SharedDescriptor {
        SharedDescriptor(try SealedMemory.make(bytes, name: "test"))
    }
}

/// A program in the place of `exthost-images`, in a folder that goes with the object.
private final class Script {
    let folder: TemporaryDirectory
    var path: String { folder.path + "/exthost-images" }

    /// - Parameters:
    ///   - text: lines for the shell, which runs in the folder.
    ///   - answer: the bytes of the file `answer` there.
    init(_ text: String, answer: [UInt8] = []) throws {
        folder = try TemporaryDirectory(prefix: "exthost-image-tests")
        try Data(answer).write(to: URL(fileURLWithPath: folder.path + "/answer"))
        // Another process writes it: a child that another test starts here meanwhile would have it open for writing for
        // a moment, and a file that is open for writing cannot be executed.
        let words = [
            "-c", "printf '%s\\n' '#!/bin/sh' \"cd '$1'\" \"$2\" >\"$0\" && chmod 700 \"$0\"", path, folder.path, text,
        ]
        let writer = try spawn(SpawnAttributes(executable: "/bin/sh", arguments: words))
        var ended = pollfd(fd: writer.pidfd.raw, events: Int16(POLLIN), revents: 0)
        while poll(&ended, 1, -1) < 0, errno == EINTR {}
        let status = try writer.reap()?.status
        try #require(status == .exited(0))
    }

    deinit { try? folder.remove() }
}
