// LinkTests: what an extension's program and its app's libraries link to.

import BundleLint
import ExtensionPoints
import Glibc
import LinuxSystem
import Testing

@Suite final class LinkTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path }

    init() throws { directory = try TemporaryDirectory(prefix: "exthost-lint") }

    deinit { try? directory.remove() }

    /// Each draft in the place of the one before.
    private func lint(_ draft: AppDraft, isRelease: Bool = false) throws -> [LintFinding] {
        try removeTree(folder + "/Example.app")
        return try BundleLint(points: PointTable(), isRelease: isRelease).lint(try draft.write(into: folder))
    }

    private func draft(_ program: [UInt8], _ libraries: [String: [UInt8]] = [:]) throws -> AppDraft {
        try #require(!program.isEmpty && libraries.values.allSatisfy { !$0.isEmpty }, "clang has built nothing")
        var draft = AppDraft()
        draft.program = program
        draft.files = libraries.map { ("Frameworks/\($0.key)", $0.value) }
        return draft
    }

    @Test func `a program that finds its app's library has no fault, nor has what the system has`() throws {
        #expect(try lint(try draft(BuiltFile.program, ["libgreet.so.1": BuiltFile.library])) == [])
        // A library that nobody embeds is the system's to find.
        #expect(try lint(try draft(BuiltFile.lostProgram)) == [])
    }

    @Test func `a library that is not looked for where it lies is told with the run path that leads there`() throws {
        let findings = try lint(try draft(BuiltFile.lostProgram, ["libgreet.so.1": BuiltFile.library]))
        #expect(findings.map(\.code) == [.libraryNotFound])
        #expect(findings.first?.file.hasSuffix("/Example.app/PlugIns/Share.appex/Share") == true)
        #expect(findings.first?.message.contains("/Example.app/Frameworks/libgreet.so.1") == true)
        #expect(findings.first?.remedy.contains("$ORIGIN/../../Frameworks ") == true)
    }

    @Test func `libraries are followed as the loader follows them`() throws {
        let through = ["libouter.so": BuiltFile.outerLibrary, "libgreet.so.1": BuiltFile.daemonLibrary]
        let findings = try lint(try draft(BuiltFile.outerProgram, through))
        #expect(findings.map(\.code) == [.unsafeImport])
        #expect(findings.first?.file.hasSuffix("/Example.app/Frameworks/libgreet.so.1") == true)
        #expect(findings.first?.message.contains("daemon") == true)

        // Its own run path is no help to a library that has none; the older kind is.
        let plain = ["libouter.so": BuiltFile.plainOuterLibrary, "libgreet.so.1": BuiltFile.library]
        let lost = try lint(try draft(BuiltFile.outerProgram, plain))
        #expect(lost.map(\.code) == [.libraryNotFound] && lost.first?.file.hasSuffix("/libouter.so") == true)
        #expect(lost.first?.remedy.contains("$ORIGIN ") == true)
        #expect(try lint(try draft(BuiltFile.olderProgram, plain)) == [])
    }

    @Test func `a library that only the app links to is its own business`() throws {
        #expect(try lint(try draft(AppDraft.ownHeader, ["libgreet.so.1": BuiltFile.daemonLibrary])) == [])
        #expect(try lint(try draft(AppDraft.ownHeader, ["libgreet.so.1": Array("no library".utf8)])) == [])
    }

    // spec: P-570
    @Test func `links that are not for extensions are warnings, and errors of a release`() throws {
        let bundles: [(AppDraft, LintCode, String)] = [
            (try draft(BuiltFile.serviceProgram), .hostOnlyLibrary, "linking against libsystemd.so.0"),
            (try draft(BuiltFile.daemonProgram), .unsafeImport, "daemon"),
            (
                try draft(BuiltFile.program, ["libgreet.so.1": BuiltFile.markedLibrary]), .hostOnlyLibrary,
                "it contains MyAppKit"
            ),
            (try draft(BuiltFile.cameraProgram), .hostOnlyLibrary, "libv4l2.so.0"),
            (try draft(BuiltFile.soundProgram), .hostOnlyLibrary, "libpulse.so.0"),
        ]
        for (draft, code, words) in bundles {
            for isRelease in [false, true] {
                let findings = try lint(draft, isRelease: isRelease)
                #expect(
                    findings.map(\.code) == [code] && findings.first?.message.contains(words) == true, "\(findings)")
                #expect(findings.first?.severity == (isRelease ? .error : .warning))
            }
        }
    }

    // spec: P-563, P-564
    @Test func `a message app may link to what it declares`() throws {
        for (program, key) in [
            (BuiltFile.cameraProgram, "NSCameraUsageDescription"),
            (BuiltFile.soundProgram, "NSMicrophoneUsageDescription"),
        ] {
            var draft = try draft(program)
            draft.declaration?["NSExtensionPointIdentifier"] = AppDraft.string("com.apple.message-payload-provider")
            draft.attributes["NSExtensionActivationRule"] = nil
            #expect(try lint(draft).map(\.code) == [.hostOnlyLibrary], "\(key)")
            draft.information[key] = AppDraft.string("For stickers")
            #expect(try lint(draft) == [], "\(key)")
        }
    }

    @Test func `an extension by its own path is followed into its app`() throws {
        let app = try draft(BuiltFile.program, ["libgreet.so.1": BuiltFile.daemonLibrary]).write(into: folder)
        let findings = try BundleLint(points: PointTable()).lint(app + "/PlugIns/Share.appex")
        #expect(findings.map(\.code) == [.unsafeImport])
        #expect(findings.first?.file == app + "/Frameworks/libgreet.so.1")
    }

    @Test func `a link in Frameworks that leads out is not followed`() throws {
        let app = try draft(BuiltFile.program).write(into: folder)
        let outside = folder + "/libgreet.so.1"
        let made = try createFile(outside)
        try BuiltFile.daemonLibrary.withUnsafeBytes { try LinuxSystem.write($0, to: made.raw) }
        try #require(mkdir(app + "/Frameworks", 0o755) == 0 && chmod(app + "/Frameworks", 0o755) == 0)
        try #require(symlink(outside, app + "/Frameworks/libgreet.so.1") == 0)
        #expect(try BundleLint(points: PointTable()).lint(app).map(\.code) == [.linkLeadsOut])
        // One that stays inside is as good as the file.
        try #require(unlink(app + "/Frameworks/libgreet.so.1") == 0)
        try #require(rename(outside, app + "/Frameworks/libgreet.so.1.0") == 0)
        try #require(chmod(app + "/Frameworks/libgreet.so.1.0", 0o644) == 0)
        try #require(symlink("libgreet.so.1.0", app + "/Frameworks/libgreet.so.1") == 0)
        #expect(try BundleLint(points: PointTable()).lint(app).map(\.code) == [.unsafeImport])
    }

    // MARK: Hostile files

    private func put(_ value: UInt64, _ width: Int, at offset: Int, in bytes: inout [UInt8]) {
        for index in 0..<width where offset + index < bytes.count {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))
        }
    }

    /// Numbers of the header, of the segments and of the dynamic section that lead out of the file, or nowhere.
    @Test func `hostile numbers are findings, and no crash`() async throws {
        let good = BuiltFile.program
        try #require(good.count > 1000 && MemoryLayout<Int>.size == 8)
        func word(_ offset: Int) -> Int { (0..<8).reduce(0) { $0 | Int(good[offset + $1]) << (8 * $1) } }
        let table = word(32)
        let count = Int(good[56])
        var places: [(Int, Int)] = [(32, 8), (54, 2), (56, 2)]
        for segment in 0..<count {
            places += [0, 8, 16, 32, 40, 48].map { (table + 56 * segment + $0, $0 == 0 ? 4 : 8) }
        }
        let dynamic = try #require((0..<count).map { table + 56 * $0 }.first { good[$0] == 2 })
        for entry in 0..<(word(dynamic + 32) / 16) {
            places += [(word(dynamic + 8) + 16 * entry, 8), (word(dynamic + 8) + 16 * entry + 8, 8)]
        }
        for (offset, width) in places {
            for value in [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, UInt64(Int64.max), UInt64.max, UInt64.max - 7] {
                var draft = try draft(good, ["libgreet.so.1": BuiltFile.library])
                var bytes = good
                put(value, width, at: offset, in: &bytes)
                draft.program = bytes
                draft.files.append(("Frameworks/libgreet.so.1", bytes))
                #expect(try lint(draft).count < 20)
            }
            await Task.yield()
        }
    }

    @Test func `cut and changed programs and libraries are findings or none, and no crash`() async throws {
        let (program, library) = (BuiltFile.program, BuiltFile.library)
        try #require(!program.isEmpty && !library.isEmpty)
        var generator = SystemRandomNumberGenerator()
        for round in 0..<(getenv("EXTHOST_LONG_TESTS") == nil ? 300 : 20_000) {
            var bytes = round % 2 == 0 ? program : library
            if round % 3 == 0 {
                bytes.removeLast(Int.random(in: 1...(bytes.count - 20), using: &generator))
            }
            for _ in 0..<Int.random(in: 0...40, using: &generator) where bytes.count > 20 {
                // Half of the changes where the tables are.
                let end = Bool.random(using: &generator) ? min(bytes.count, 1200) : bytes.count
                bytes[Int.random(in: 18..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            var draft = AppDraft()
            draft.program = round % 2 == 0 ? bytes : program
            draft.files = [("Frameworks/libgreet.so.1", round % 2 == 0 ? library : bytes)]
            #expect(try lint(draft).count < 50)
            if round % 10 == 0 { await Task.yield() }
        }
    }

    private func classFindings(_ name: String, _ program: [UInt8]) throws -> [LintFinding] {
        var draft = AppDraft()
        draft.program = program
        draft.declaration?["NSExtensionPrincipalClass"] = AppDraft.string(name)
        return try lint(draft).filter { $0.code == .classNotFound }
    }

    @Test(arguments: [
        ("Share.Share", nil), ("Share.Outer.Inner", nil),
        ("Share.Outer", "Name an existing class: Share.Outer.Inner, Share.Share"),
        ("Share.Shale", "Is Share.Share meant?"),
        ("Other.Share", "Name the class as Module.Class; the program has no class in a module Other"),
    ])
    func `a class is looked for among those of the program`(name: String, remedy: String?) throws {
        try #require(!BuiltFile.swiftProgram.isEmpty)
        #expect(try classFindings(name, BuiltFile.swiftProgram).map(\.remedy) == (remedy.map { [$0] } ?? []))
        // One that is no Swift says nothing of classes.
        #expect(try classFindings(name, BuiltFile.program).isEmpty)
    }

    private func textFindings(_ program: [UInt8], _ files: [(String, [UInt8])] = []) throws -> [LintFinding] {
        var draft = AppDraft()
        draft.program = program
        draft.rule = nil
        draft.files = files.map { (AppDraft.bundle + $0, $1) }
        draft.declaration?["NSExtensionPointIdentifier"] = AppDraft.string("com.apple.widget-extension")
        return try lint(draft).filter { $0.code == .textEntryInWidget }
    }

    // spec: TW-18
    @Test func `text that a person edits is found in a widget's program`() throws {
        try #require(!BuiltFile.textProgram.isEmpty && !BuiltFile.dynamicTextProgram.isEmpty)
        let found = try textFindings(BuiltFile.textProgram)
        #expect(
            found.map(\.message) == [
                "Share.Editor has a UITextView, and a Today widget has no keyboard",
                "Share.Share has a UITextField, and a Today widget has no keyboard",
            ])
        #expect(try textFindings(BuiltFile.dynamicTextProgram).isEmpty == false)
        #expect(try textFindings(BuiltFile.swiftProgram).isEmpty)
        // Other extensions have a keyboard.
        var draft = AppDraft()
        draft.program = BuiltFile.textProgram
        #expect(try lint(draft).allSatisfy { $0.code != .textEntryInWidget })
    }

    // spec: TW-18
    @Test func `text that a person edits is found in a widget's storyboard`() throws {
        func storyboard(_ object: String) -> [UInt8] {
            AppDraft.document("<dict><key>objects</key><array><dict>\(object)</dict></array></dict>")
        }
        let name = "<key>class</key><string>UITextView</string>"
        let fixed = name + "<key>values</key><dict><key>editable</key><false/></dict>"
        let program = BuiltFile.program
        #expect(try textFindings(program, [("Main.storyboardc", storyboard(name))]).count == 1)
        #expect(try textFindings(program, [("Base.lproj/Row.nib", storyboard(name))]).count == 1)
        #expect(try textFindings(program, [("Main.storyboardc", storyboard(fixed))]).isEmpty)
        #expect(try textFindings(program, [("Main.storyboardc", Array("no list".utf8))]).isEmpty)
    }

    @Test func `a changed program with texts is a finding or none, and no crash`() async throws {
        let program = BuiltFile.textProgram
        try #require(!program.isEmpty)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<(getenv("EXTHOST_LONG_TESTS") == nil ? 200 : 5_000) {
            var bytes = program
            for _ in 0..<Int.random(in: 0...60, using: &generator) {
                bytes[Int.random(in: 18..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            #expect(try textFindings(bytes).count < 50)
            await Task.yield()
        }
    }

    @Test func `a changed program of Swift is a finding or none, and no crash`() async throws {
        let program = BuiltFile.swiftProgram
        try #require(!program.isEmpty)
        var generator = SystemRandomNumberGenerator()
        for round in 0..<(getenv("EXTHOST_LONG_TESTS") == nil ? 200 : 5_000) {
            var bytes = program
            if round % 3 == 0 { bytes.removeLast(Int.random(in: 1...(bytes.count - 20), using: &generator)) }
            for _ in 0..<Int.random(in: 0...60, using: &generator) where bytes.count > 20 {
                // Half of the changes in the table of sections, which is the last.
                let start = Bool.random(using: &generator) ? max(18, bytes.count - 2600) : 18
                bytes[Int.random(in: start..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            #expect(try classFindings("Share.Shore", bytes).count < 2)
            if round % 10 == 0 { await Task.yield() }
        }
    }

    /// Two libraries that need each other.
    @Test func `a circle of libraries ends`() throws {
        let circle = ["libouter.so": BuiltFile.outerLibrary, "libgreet.so.1": BuiltFile.outerLibrary]
        #expect(try lint(try draft(BuiltFile.outerProgram, circle)) == [])
    }
}
