// ViewFileTests: which ways lead to a file, and which library folders a program opens by naming them.

import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite final class ViewFileTests {
    private let folder: TemporaryDirectory
    private let containers: FolderIdentity

    /// `good/file`, and a folder `containers` with `own/file` and links in it.
    init() throws {
        folder = try TemporaryDirectory(prefix: "exthost-ways", in: "/var/tmp")
        for path in ["good", "containers/own"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(path)", withIntermediateDirectories: true)
            try Data(path.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(path)/file"))
        }
        containers = try #require(try FolderIdentity(folder.path + "/containers"))
        for (name, target) in [
            ("to-good", "good"), ("containers/back", "../good"), ("into", "containers/own"),
            ("through", "containers/back"),
            ("absolute", folder.path + "/containers/back"), ("twice", "through"), ("itself", "itself"),
        ] { try #require(symlink(target, "\(folder.path)/\(name)") == 0) }
    }

    deinit { try? folder.remove() }

    @Test(arguments: ["good/file", "to-good/file", "good/../to-good/file", "./good//file"])
    func aWayThatTouchesNoContainerIsFollowed(_ way: String) throws {
        let file = try ViewFile("\(folder.path)/\(way)", outside: containers)
        #expect(file.facts.isRegularFile && file.path == "\(folder.path)/\(way)")
    }

    @Test(arguments: [
        "containers", "containers/own/file", "/containers/own/file", "./containers/own/file",
        "good/../containers/own/file",
        "into/file",
        "through/file", "absolute/file", "twice/file", "containers/back/file", "containers/../good/file",
    ]) func aWayThroughTheContainersIsRefused(_ way: String) throws {
        // Each leads to a file, or the refusal would prove nothing.
        _ = try ViewFile("\(folder.path)/\(way)")
        #expect(throws: SystemError("open", code: EXDEV)) {
            try ViewFile("\(self.folder.path)/\(way)", outside: self.containers)
        }
    }

    @Test func whatIsNotThereSaysSo() throws {
        #expect(throws: SystemError("openat2", code: ENOENT)) {
            try ViewFile(self.folder.path + "/x", outside: self.containers)
        }
        #expect(throws: SystemError("open", code: ELOOP)) {
            try ViewFile(self.folder.path + "/itself", outside: self.containers)
        }
        #expect(throws: SystemError("open", code: EINVAL)) { try ViewFile("good", outside: self.containers) }
        #expect(try FolderIdentity(folder.path + "/x") == nil)
        #expect(try FolderIdentity(folder.path + "/good/file") == nil)
        #expect(throws: SystemError("open", code: ELOOP)) { try FolderIdentity(self.folder.path + "/itself") }
    }

    @Test func inAFolderNoLinkIsFollowed() throws {
        let outer = try ViewFile(folder.path)
        #expect(try outer.file("good/file").facts.isRegularFile)
        for name in ["to-good", "to-good/file"] {
            #expect(throws: SystemError("openat2", code: ELOOP)) { try outer.file(name) }
        }
        #expect(throws: SystemError("openat2", code: EXDEV)) { try outer.file("../x") }
        #expect(outer.linkTarget("to-good") == "good" && outer.linkTarget("good") == nil)
        #expect(throws: SystemError("open", code: EINVAL)) { _ = try outer.read("good") }
    }

    // MARK: Library folders

    /// As much of an ELF file as names library folders: one segment in memory, one dynamic section, one string.
    private static func program(naming folders: String) -> Data {
        var bytes = Data([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9))
        func add(_ values: UInt64...) {
            for value in values { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
        }
        let text = Array(folders.utf8) + [0]
        let (table, dynamic) = (UInt64(64), UInt64(64 + 2 * 56))
        let strings = dynamic + 48
        // Type, machine and version in one word; the entry point, the table's place; then sizes: 64, 56 for each of 2.
        add(2 | 62 << 16 | 1 << 32, 0, table, 0, 0 | 64 << 32 | 56 << 48, 2)
        add(1 | 4 << 32, 0, 0, 0, strings + UInt64(text.count), strings + UInt64(text.count), 4096)
        add(2 | 4 << 32, dynamic, dynamic, dynamic, 48, 48, 8)
        add(5, strings, 29, 0, 0, 0)
        return bytes + text
    }

    /// What a script can read of `secret` in a folder that a program beside it names as its library folder.
    ///
    /// - Parameter isReplaced: whether another bundle lies there once the first, which names nothing, has been opened.
    private func read(naming named: String, secret: String, isReplaced: Bool = false) throws -> String {
        let bundle = folder.path + "/bundle"
        let opened = isReplaced ? try openAndReplace(bundle) : nil
        try? FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let (script, helper) = (bundle + "/script", bundle + "/helper")
        try Data("#!/bin/sh\ncat \(secret) 2>/dev/null\n".utf8).write(to: URL(fileURLWithPath: script))
        try Self.program(naming: named).write(to: URL(fileURLWithPath: helper))
        for path in [script, helper] { try #require(chmod(path, 0o755) == 0) }
        try waitForWriters(of: script)
        var attributes = SpawnAttributes(executable: script, workingDirectory: "/")
        let layers = ConfinementProbe(initProgram: initProgram).found
        attributes.confinement = Confinement(layers: layers, readable: [try opened ?? ViewFile(bundle)])
        attributes.confinement?.containers = containers
        attributes.enclosure =
            layers.namespaces ? .processNamespace(initProgram: initProgram) : .guardian(program: initProgram)
        return try run(attributes).output
    }

    private func openAndReplace(_ bundle: String) throws -> ViewFile {
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: false)
        let opened = try ViewFile(bundle)
        for name in ["script", "helper"] {
            try Data("#!/bin/sh\ncat \(folder.path)/runtime/secret 2>/dev/null\n".utf8)
                .write(to: URL(fileURLWithPath: "\(bundle)/\(name)"))
            try #require(chmod("\(bundle)/\(name)", 0o755) == 0)
            try waitForWriters(of: "\(bundle)/\(name)")
        }
        try #require(rename(bundle, bundle + "-before") == 0)
        return opened
    }

    @Test func whatIsPutInThePlaceOfAnOpenedBundleNamesNothing() throws {
        guard ConfinementProbe(initProgram: initProgram).found.namespaces else { return }
        let place = folder.path + "/runtime"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try Data("secret".utf8).write(to: URL(fileURLWithPath: place + "/secret"))
        try Data().write(to: URL(fileURLWithPath: place + "/libswiftCore.so"))
        #expect(try read(naming: place, secret: place + "/secret", isReplaced: true) == "")
    }

    @Test func aProgramOpensSwiftsRuntimeByNamingIt() throws {
        let place = folder.path + "/runtime"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try Data("secret".utf8).write(to: URL(fileURLWithPath: place + "/secret"))
        // Not Swift's runtime.
        #expect(try read(naming: place, secret: place + "/secret") == "")
        try Data().write(to: URL(fileURLWithPath: place + "/libswiftCore.so"))
        #expect(try read(naming: place, secret: place + "/secret") == "secret")
        #expect(
            try read(naming: "/nowhere:$ORIGIN/../runtime", secret: folder.path + "/bundle/../runtime/secret")
                == "secret")
        // Everybody could put something there.
        try #require(chmod(place, 0o777) == 0)
        #expect(try read(naming: place, secret: place + "/secret") == "")
        try #require(chmod(place, 0o755) == 0)
        // A link in the place of the runtime is none.
        try #require(rename(place + "/libswiftCore.so", folder.path + "/elsewhere.so") == 0)
        try #require(symlink(folder.path + "/elsewhere.so", place + "/libswiftCore.so") == 0)
        #expect(try read(naming: place, secret: place + "/secret") == "")
    }

    @Test(.enabled(if: geteuid() == 0, "gives a folder to another user")) func anotherUsersFolderIsNotOpened() throws {
        let place = folder.path + "/runtime"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try Data("secret".utf8).write(to: URL(fileURLWithPath: place + "/secret"))
        try Data().write(to: URL(fileURLWithPath: place + "/libswiftCore.so"))
        try #require(chown(place, 12345, 12345) == 0)
        #expect(try read(naming: place, secret: place + "/secret") == "")
    }

    /// The extension itself leads the link elsewhere: to a folder that passes for a runtime, and back.
    @Test(arguments: ["containers/own", "/containers/own", "./containers/own", "into", "through", "containers/back"])
    func aFolderBehindTheContainersIsNotOpened(_ way: String) throws {
        for place in ["good", "containers/own"] {
            try Data().write(to: URL(fileURLWithPath: "\(folder.path)/\(place)/libswiftCore.so"))
        }
        let secret = "\(folder.path)/\(way)/file"
        #expect(access(secret, R_OK) == 0)
        #expect(try read(naming: "\(folder.path)/\(way)", secret: secret) == "")
    }
}
