// LintTests: each fault is found at its place, and nothing is found where there is none.

import ActivationRules
import BundleLint
import ExtensionPoints
import ExtensionRegistry
import Glibc
import LinuxSystem
import Testing

@Suite final class LintTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path }

    init() throws { directory = try TemporaryDirectory(prefix: "exthost-lint") }

    deinit { try? directory.remove() }

    private func lint(_ path: String, isRelease: Bool = false) throws -> [LintFinding] {
        try BundleLint(points: PointTable(), isRelease: isRelease).lint(path)
    }

    @Test func `a faultless app has no findings, nor has its extension by itself, nor the folder`() throws {
        let app = try AppDraft().write(into: folder)
        for path in [app, app + "/", app + "/PlugIns/Share.appex", folder] {
            #expect(try lint(path, isRelease: true) == [], "\(path)")
        }
    }

    // spec: P-348, P-312, P-314, P-315
    // not simulated: N-001
    @Test(arguments: Fault.all) func `a fault is found, at its place, and no other`(_ fault: Fault) throws {
        var draft = AppDraft()
        fault.change(&draft)
        let app = try draft.write(into: folder)
        fault.after(app)
        let findings = try lint(app, isRelease: fault.isRelease)
        #expect(Set(findings.map(\.code)) == fault.others.union([fault.code]), "\(findings)")
        let finding = try #require(findings.first { $0.code == fault.code })
        #expect(finding.key == fault.key)
        #expect(finding.file.hasPrefix(app))
        #expect(!finding.message.isEmpty && !finding.remedy.isEmpty && !finding.message.hasSuffix("."))
        #expect(finding.severity == (fault.isRelease && fault.code.isErrorInRelease ? .error : fault.code.severity))
        if finding.key != nil { #expect(finding.line != nil) }
        // What the registry disables has an error, whatever else lint may say.
        let refused = ExtensionRegistry.scan([folder]).copies.contains { !$0.bundle.problems.isEmpty }
        if refused { #expect(findings.contains { $0.severity == .error }) }
    }

    @Test func `there is a bundle for every code`() {
        let alone: Set<LintCode> = [.identifierShared]
        #expect(Set(LintCode.allCases) == Set(Fault.all.map(\.code)).union(alone))
        #expect(Fault.all.count == Set(Fault.all.map(\.code)).count)
    }

    @Test func `every warning of a rule has a code of its name`() {
        for code in RuleWarning.Code.allCases { #expect(LintCode(rawValue: code.rawValue) != nil, "\(code)") }
    }

    @Test func `two apps with one identifier are told apart from two extensions of one app`() throws {
        try AppDraft().write("One", into: folder)
        try AppDraft().write("Two", into: folder)
        let findings = try lint(folder)
        #expect(findings.map(\.code) == [.identifierShared])
        #expect(findings.first?.file.hasSuffix("/Two.app/PlugIns/Share.appex") == true)
        #expect(findings.first?.message.contains("/One.app/PlugIns/Share.appex") == true)
    }

    @Test func `a type that is exported and imported alike has no finding`() throws {
        let parents = "<key>UTTypeConformsTo</key><string>public.data</string>"
        let note = "<dict><key>UTTypeIdentifier</key><string>org.example.note</string>\(parents)</dict>"
        var draft = AppDraft()
        draft.information["UTExportedTypeDeclarations"] = "<array>\(note)</array>"
        draft.information["UTImportedTypeDeclarations"] = "<array>\(note)</array>"
        #expect(try lint(draft.write("Alike", into: folder)).map(\.code) == [])
        draft.information["UTExportedTypeDeclarations"] = "<array>\(note)\(note)</array>"
        #expect(try lint(draft.write("Alike", into: folder)).map(\.code) == [.typeDuplicate])
    }

    @Test func `what a store refuses is an error of a release`() throws {
        var draft = AppDraft()
        draft.rule = AppDraft.string("TRUEPREDICATE")
        draft.information["CFBundleVersion"] = AppDraft.string("2")
        let app = try draft.write(into: folder)
        #expect(Set(try lint(app).map(\.severity)) == [.warning])
        #expect(Set(try lint(app, isRelease: true).map(\.severity)) == [.error])
    }

    @Test func `a fault in a predicate is told by its line in the file`() throws {
        var draft = AppDraft()
        draft.rule = "<string>SUBQUERY(extensionItems, $i,\n\n   $i.attachments.@count ~ 1).@count == 1</string>"
        let app = try draft.write(into: folder)
        let finding = try #require(try lint(app).first)
        #expect(finding.code == .ruleUnreadable)
        let lines = draft.informationBytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let line = try #require(finding.line)
        #expect(String(decoding: lines[line - 1], as: UTF8.self).contains("@count ~ 1"))
    }

    @Test func `lines are counted over comments, CDATA and every end of line`() throws {
        var draft = AppDraft()
        draft.informationFile = Array(
            ("<?xml version=\"1.0\"?>\r\n<!-- <key>CFBundleVersion</key>\n -->\r<plist version=\"1.0\"><dict>\n"
                + "<key>Note</key><string><![CDATA[<key>CFBundleVersion</key>\n]]></string>\n"
                + "<key>CFBundleVersion</key><string>1.b</string></dict></plist>").utf8)
        let findings = try lint(try draft.write(into: folder))
        #expect(findings.first { $0.code == .versionMalformed }?.line == 7)
    }

    @Test func `the last of equal keys counts, and lint names it`() throws {
        var draft = AppDraft()
        draft.information.entries.insert(("CFBundleVersion", AppDraft.string("1.b")), at: 0)
        let path = try draft.write(into: folder)
        #expect(try lint(path).map(\.code) == [.keyRepeated])
        draft.information.entries.append(("CFBundleVersion", "<string a=\">\">1.b</string>"))
        let found = try lint(draft.write(into: folder))
        #expect(found.filter { $0.code == .keyRepeated }.count == 2)
        let lines = draft.informationBytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let last = try #require(
            lines.lastIndex { String(decoding: $0, as: UTF8.self).contains("CFBundleVersion") })
        #expect(found.first { $0.code == .versionMalformed }?.line == last + 1)
        // The app's file has the same warning.
        draft = AppDraft()
        draft.app.entries.append(("CFBundleVersion", AppDraft.string("1")))
        #expect(try lint(draft.write(into: folder)).map(\.code) == [.keyRepeated])
        // The dictionary that counts has the line.
        draft = AppDraft()
        draft.informationFile = Array(
            ("<plist version=\"1.0\"><dict>\n"
                + "<key>ExtensionHostLimits</key><dict><key>bogus</key><integer>1</integer></dict>\n"
                + "<key>ExtensionHostLimits</key><dict>\n<key>bogus</key><integer>2</integer></dict>\n</dict></plist>")
                .utf8)
        #expect(try lint(draft.write(into: folder)).first { $0.code == .limitUnknown }?.line == 4)
        // Keys of two dictionaries are not repeated.
        draft = AppDraft()
        draft.information["A"] = "<array><dict><key>a</key><true/></dict><dict><key>a</key><true/></dict></array>"
        #expect(try lint(draft.write(into: folder)) == [])
    }

    @Test func `what is no bundle is said so`() throws {
        for path in [folder, folder + "/none.app", "/proc/self/exe"] {
            let error = #expect(throws: LintError.self) { try lint(path) }
            #expect(error?.remedy.isEmpty == false)
        }
    }

    @Test func `an extension by its own path is compared with its app`() throws {
        var draft = AppDraft()
        draft.information["CFBundleIdentifier"] = AppDraft.string("org.example.other")
        let app = try draft.write(into: folder)
        #expect(try lint(app + "/PlugIns/Share.appex").map(\.code) == [.identifierPrefix])
    }

    @Test func `a bundle with Contents is read as one`() throws {
        let app = try AppDraft().write(into: folder)
        let bundle = app + "/PlugIns/Share.appex"
        for path in [bundle + "/Contents", bundle + "/Contents/MacOS"] {
            try #require(mkdir(path, 0o755) == 0 && chmod(path, 0o755) == 0)
        }
        try #require(rename(bundle + "/Info.plist", bundle + "/Contents/Info.plist") == 0)
        try #require(rename(bundle + "/Share", bundle + "/Contents/MacOS/Share") == 0)
        #expect(try lint(app) == [])
    }

    @Test func `hostile property lists are findings, and no crash`() throws {
        let deep = String(repeating: "<array>", count: 10_000)
        let keys = String(repeating: "<key>NSExtension</key>", count: 5_000)
        let wide = (0..<4_000).map { "<key>k\($0)</key><dict><key>\($0)</key><true/></dict>" }.joined()
        let documents: [[UInt8]] = [
            [], Array("<plist>".utf8), Array("bplist00".utf8),
            Array("bplist00".utf8) + Array(repeating: 0xFF, count: 64),
            AppDraft.document(deep), AppDraft.document("<dict>\(keys)</dict>"),
            AppDraft.document("<dict>\(wide)</dict>"),
            AppDraft.document(
                "<dict><key>NSExtension</key><dict><key>NSExtensionAttributes</key><array/></dict></dict>"),
            AppDraft.document("<dict><key>CFBundleIdentifier</key><string>\u{202E}\u{1F600}</string></dict>"),
            Array(repeating: 0, count: 2 << 20), [0xFF, 0xFE, 0x3C, 0],
        ]
        for (number, bytes) in documents.enumerated() {
            var draft = AppDraft()
            draft.informationFile = bytes
            draft.appFile = bytes
            let findings = try lint(try draft.write("Hostile\(number)", into: folder))
            #expect(findings.contains { $0.severity == .error }, "\(number)")
            #expect(findings.count < 100, "\(number)")
        }
    }

    /// Bytes of a good property list changed at random: whatever comes of it, lint ends, and finds what the registry
    /// refuses.
    @Test func `changed property lists are findings or none, and the registry agrees`() throws {
        let good = AppDraft().informationBytes
        var generator = SystemRandomNumberGenerator()
        for round in 0..<150 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 32..<127, using: &generator)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 20))
                default: bytes.insert(contentsOf: "<dict>".utf8, at: place)
                }
            }
            var draft = AppDraft()
            draft.informationFile = bytes
            let app = try draft.write(into: folder)
            let findings = try lint(app)
            if ExtensionRegistry.scan([folder]).copies.contains(where: { !$0.bundle.problems.isEmpty }) {
                #expect(
                    findings.contains { $0.severity == .error },
                    "round \(round): \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }
}
