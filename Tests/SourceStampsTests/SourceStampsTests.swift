// SourceStampsTests: which changes of sources make an app out of date.

import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import SourceStamps

@Suite struct SourceStampsTests {
    private let folder: TemporaryDirectory
    private var sources: String { folder.path + "/Sources" }

    init() throws {
        folder = try TemporaryDirectory(prefix: "exthost-tests")
        try write("Package.swift", "package")
        try write("Sources/Echo/RequestHandler.swift", "handler")
        try write("Sources/Core/Text.swift", "text")
    }

    private func write(_ name: String, _ text: String) throws {
        let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func stamps() -> SourceStamps {
        SourceStamps(
            project: folder.path, folders: [sources, sources + "/Echo"], files: [folder.path + "/Package.swift"])
    }

    @Test func nothingHasChangedAtFirstAndTheFileSaysTheSame() throws {
        defer { try? folder.remove() }
        let stamps = stamps()
        #expect(stamps.difference == nil && stamps.files.count == 3)
        try write("Echo.app/\(SourceStamps.fileName)", String(decoding: stamps.encoded, as: UTF8.self))
        #expect(SourceStamps(app: folder.path + "/Echo.app") == stamps)
    }

    @Test func eachKindOfChangeIsNamed() throws {
        defer { try? folder.remove() }
        let stamps = stamps()
        let handler = sources + "/Echo/RequestHandler.swift"
        try write("Sources/Echo/RequestHandler.swift", "broken handler")
        #expect(stamps.difference?.description == "\(handler) was changed since")
        try FileManager.default.removeItem(atPath: handler)
        #expect(stamps.difference?.description == "\(handler) was removed since")
        let others = self.stamps()
        try write("Sources/Core/More.swift", "more")
        #expect(others.difference?.description == "\(sources)/Core/More.swift was added since")
        let third = self.stamps()
        try write("Package.swift", "another package")
        #expect(third.difference?.path == folder.path + "/Package.swift")
    }

    /// A file of the same size and another time: an editor has written it.
    @Test func theTimeOfAFileCounts() throws {
        defer { try? folder.remove() }
        let stamps = stamps()
        var times = [timespec(tv_sec: 1, tv_nsec: 1), timespec(tv_sec: 1, tv_nsec: 2)]
        try #require(utimensat(AT_FDCWD, sources + "/Core/Text.swift", &times, 0) == 0)
        #expect(stamps.difference?.kind == .changed)
    }

    @Test func whatIsNoSourceDoesNotCount() throws {
        defer { try? folder.remove() }
        let stamps = stamps()
        for name in [
            ".build/x", ".RequestHandler.swift.swp", "__pycache__/a.pyc", "b.pyc", "a.swift~", "Made.app/Info.plist",
        ] {
            try write("Sources/Echo/\(name)", "x")
        }
        try FileManager.default.createSymbolicLink(atPath: sources + "/Loop", withDestinationPath: sources)
        #expect(stamps.difference == nil)
    }

    @Test func whereTheSourcesAreNotThereNothingIsJudged() throws {
        let stamps = stamps()
        try folder.remove()
        #expect(stamps.difference == nil)
    }

    /// A bundle is a stranger's.
    @Test func aFileThatIsNotOneOfStampsIsNone() throws {
        defer { try? folder.remove() }
        for text in [
            "", "[]", "{\"project\": 1}",
            "{\"project\": \"/\", \"folders\": [], \"files\": {\"/x\": {\"size\": \"1\"}}}",
        ] {
            try write("Echo.app/\(SourceStamps.fileName)", text)
            #expect(SourceStamps(app: folder.path + "/Echo.app") == nil, "\(text)")
        }
        try FileManager.default.removeItem(atPath: "\(folder.path)/Echo.app/\(SourceStamps.fileName)")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/Echo.app/\(SourceStamps.fileName)", withDestinationPath: "/etc/passwd")
        #expect(SourceStamps(app: folder.path + "/Echo.app") == nil)
    }
}
