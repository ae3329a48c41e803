// BulkItemTests: large values from host to extension: equal to the last byte, and not once in the daemon's memory.

import ExtensionHostTesting
import Foundation
import Glibc
import Testing
import UniformTypeIdentifiers

@Suite(.serialized) struct BulkItemTests {
    private static let mebibyte = 1 << 20

    /// Where the bytes are before they travel, and how they are asked for.
    enum Way: String, Sendable, CaseIterable {
        case presentDataAsData, handlersDataAsData, fileAsData, fileAsFile, fileInPlace
    }

    // spec: P-070, P-071, P-072
    @Test(arguments: Way.allCases) func sixtyFourMebibytesArriveWhole(way: Way) async throws { try await send(64, way) }

    @Test(.enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"), arguments: Way.allCases)
    func aGibibyteArrivesWhole(way: Way) async throws { try await send(1024, way) }

    private func send(_ mebibytes: Int, _ way: Way) async throws {
        let bundles = try TestBundles.withPuppet()
        var arguments = ["--timer", "load=120s", "--timer", "idle=20ms"]
        // No confined extension can open the host's file by its path.
        if way == .fileInPlace { arguments += ["--sandbox", "none"] }
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let count = mebibytes * Self.mebibyte
            let file = URL(fileURLWithPath: bundles.path + "/payload.bin")
            let sum = try Self.write(count, to: file)
            let host = try await daemon.host("notes")
            // The daemon has done all of this once, on a small scale.
            let small = try await host.begin(puppet, items: [order("digest", "data", attachments: [Self.small])])
            #expect(await small.outcome.kind == .completed)
            let before = try await daemon.control.status()

            let began = ContinuousClock.now
            let request = try await host.begin(
                puppet, items: [order("digest", way.form, attachments: [try Self.provider(way, file)])])
            let answer = try items(of: await request.outcome).first?.userInfo
            let time = began.duration(to: .now)
            #expect(answer?["bytes"] as? Int == count && answer?["sha256"] as? String == sum, "\(way)")
            if way == .fileInPlace {
                #expect(answer?["isInPlace"] as? Bool == true && answer?["path"] as? String == file.path)
            }
            let after = try await daemon.control.status()
            let grown = (after.peakMemory ?? 0) - (before.peakMemory ?? 0)
            #expect(grown < Self.mebibyte, "the daemon grew by \(grown) bytes")
            print(
                "bulk \(mebibytes) MiB \(way): load \(answer?["seconds"] as? Double ?? 0) s, with checksum \(time), daemon +\(grown / 1024) KiB,",
                "extension peak \((answer?["peak"] as? Int ?? 0) / 1024) MiB, host now \(Self.resident() / Self.mebibyte) MiB"
            )
        }
    }

    // not simulated: N-002
    @Test(.disabled(if: isSanitized, "a sanitized extension is not confined"))
    func aConfinedExtensionGetsACopyInPlaceOfTheFile() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            guard try await daemon.control.status().sandbox != "none" else { return }
            let file = URL(fileURLWithPath: bundles.path + "/payload.bin")
            let sum = try Self.write(100_000, to: file)
            let host = try await daemon.host("notes")
            let request = try await host.begin(
                puppet, items: [order("digest", "place", attachments: [try Self.provider(.fileInPlace, file)])])
            let answer = try items(of: await request.outcome).first?.userInfo
            #expect(answer?["sha256"] as? String == sum && answer?["isInPlace"] as? Bool == false)
            #expect(
                (answer?["path"] as? String)?.contains("/Containers/Data/PlugIn/\(puppet)/tmp/") == true,
                "\(answer ?? [:])")
            #expect(await request.refusals.isEmpty)
        }
    }

    /// As Apple's template for action extensions has it: `loadItem`, and the bytes are read from the URL that it gives.
    @Test(.disabled(if: isSanitized, "a sanitized extension is not confined"))
    func aConfinedExtensionCanOpenTheURLOfAFileThatItLoads() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            guard try await daemon.control.status().sandbox != "none" else { return }
            let file = URL(fileURLWithPath: bundles.path + "/payload.bin")
            let sum = try Self.write(100_000, to: file)
            let host = try await daemon.host("notes")
            let request = try await host.begin(
                puppet, items: [order("digest", "url", attachments: [try Self.provider(.fileAsFile, file)])])
            let answer = try items(of: await request.outcome).first?.userInfo
            #expect(answer?["sha256"] as? String == sum, "\(answer ?? [:])")
            #expect(
                (answer?["path"] as? String)?.contains("/Containers/Data/PlugIn/\(puppet)/tmp/") == true,
                "\(answer ?? [:])")
            #expect((answer?["path"] as? String)?.hasSuffix("/payload.bin") == true, "\(answer ?? [:])")
            #expect(await request.refusals.isEmpty)
        }
    }

    private static var small: NSItemProvider {
        NSItemProvider(item: NSData(data: Data(count: 100_000)), typeIdentifier: "public.data")
    }

    private static func provider(_ way: Way, _ file: URL) throws -> NSItemProvider {
        switch way {
        case .presentDataAsData:
            return NSItemProvider(
                item: NSData(data: try Data(contentsOf: file, options: .alwaysMapped)), typeIdentifier: "public.data")
        case .handlersDataAsData:
            let provider = NSItemProvider()
            provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { answer in
                do { answer(try Data(contentsOf: file, options: .alwaysMapped), nil) } catch { answer(nil, error) }
                return nil
            }
            return provider
        case .fileAsData, .fileAsFile: return try #require(NSItemProvider(contentsOf: file))
        case .fileInPlace:
            return try #require(NSItemProvider(contentsOf: file, contentType: .data, openInPlace: true))
        }
    }

    /// Writes a file that is different in every block; returns its checksum.
    private static func write(_ count: Int, to file: URL) throws -> String {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var block = [UInt8](repeating: 0, count: mebibyte)
        for place in block.indices { block[place] = UInt8(truncatingIfNeeded: place &* 167 >> 5) }
        for number in 0..<count / mebibyte {
            withUnsafeBytes(of: number) { block.replaceSubrange(0..<8, with: $0) }
            try handle.write(contentsOf: block)
        }
        return checksum(file)
    }

    private static func checksum(_ file: URL) -> String {
        guard let pipe = popen("sha256sum < '\(file.path)'", "r") else { return "" }
        defer { pclose(pipe) }
        var line = [CChar](repeating: 0, count: 65)
        return fgets(&line, 65, pipe) == nil
            ? "" : String(decoding: line.prefix(64).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func resident() -> Int {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) : 0
    }
}

extension BulkItemTests.Way {
    /// As the puppet calls it.
    fileprivate var form: String {
        switch self {
        case .presentDataAsData, .handlersDataAsData, .fileAsData: "data"
        case .fileAsFile: "file"
        case .fileInPlace: "place"
        }
    }
}
