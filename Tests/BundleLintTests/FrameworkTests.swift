// FrameworkTests: what an app's frameworks mean for its programs.

import BundleLint
import ExtensionPoints
import LinuxSystem
import Testing

@Suite final class FrameworkTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "exthost-lint") }

    deinit { try? directory.remove() }

    private func lint(_ draft: AppDraft) throws -> [LintFinding] {
        try removeTree(directory.path + "/Example.app")
        return try BundleLint(points: PointTable()).lint(try draft.write(into: directory.path))
    }

    private func draft(_ program: [UInt8], framework: [UInt8], at place: String) throws -> AppDraft {
        try #require(!program.isEmpty && !framework.isEmpty, "swiftc has built nothing")
        var draft = AppDraft()
        draft.program = program
        draft.files = [(place, framework)]
        return draft
    }

    // spec: CL-8
    @Test(
        "CL-8: two Swift runtimes in one process are found in program and framework, in either layout",
        arguments: ["Frameworks/Kit.framework/Kit", "Frameworks/Kit.framework/Contents/Linux/Kit"])
    func runtimes(place: String) throws {
        let (shared, own) = (BuiltFile.swiftLibrary, BuiltFile.staticSwiftLibrary)
        let findings = try lint(try draft(BuiltFile.staticSwiftProgram, framework: shared, at: place))
        #expect(findings.map(\.code) == [.staticProgramLoadsSwiftFramework])
        #expect(findings.first?.message.contains("Kit.framework") == true)
        #expect(findings.first?.remedy.contains("exthostctl bundle --dynamic") == true)
        #expect(findings.first?.file.hasSuffix("/Example.app/PlugIns/Share.appex/Share") == true)
        #expect(
            try lint(try draft(BuiltFile.swiftProgram, framework: own, at: place)).map(\.code) == [
                .staticProgramLoadsSwiftFramework
            ])
        // One runtime, a framework of C, and a program of C.
        for (program, framework) in [
            (BuiltFile.swiftProgram, shared), (BuiltFile.staticSwiftProgram, BuiltFile.library),
            (BuiltFile.daemonProgram, shared),
        ] {
            let findings = try lint(try draft(program, framework: framework, at: place))
            #expect(!findings.map(\.code).contains(.staticProgramLoadsSwiftFramework))
        }
    }

    /// An app of the guide's chapter: its program is linked to the library in `Frameworks`, or to nothing.
    private func olderApp(_ minimum: String?, _ program: [UInt8]) throws -> [LintFinding] {
        var draft = AppDraft()
        draft.app["CFBundleExecutable"] = AppDraft.string("Example")
        draft.app["MinimumOSVersion"] = minimum.map(AppDraft.string)
        draft.files = [("Example", program), ("Frameworks/libgreet.so.1", BuiltFile.library)]
        return try lint(draft)
    }

    // spec: CL-10
    @Test("CL-10: an app below 8.0 that links to its framework is told, with the key's line")
    func linkedForOlderSystem() throws {
        let findings = try olderApp("7.0", BuiltFile.lostProgram)
        #expect(findings.map(\.code) == [.frameworkLinkedForOlderSystem])
        #expect(findings.first?.message.contains("libgreet.so.1") == true && findings.first?.line != nil)
        for minimum in ["8.0", "8", "15.0", nil] { #expect(try olderApp(minimum, BuiltFile.lostProgram) == []) }
        #expect(try olderApp("7.0", BuiltFile.loadingProgram) == [])
    }

    // spec: CL-11
    @Test("CL-11: lint does not see whether a loading call is guarded, and its page says so for each call")
    func unguardedCalls() throws {
        // It loads without any check of the version.
        #expect(try olderApp("7.0", BuiltFile.loadingProgram) == [])
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let page = String(decoding: try readFile("\(root)/docs/lint.md", maximumSize: 1 << 20), as: UTF8.self)
        let section = try #require(page.firstRange(of: "### Guarded calls")).upperBound
        let text = page[section...].prefix { $0 != "#" }
        for call in [
            "dlopen", "CFBundleGetFunctionPointerForName", "CFBundleGetFunctionPointersForNames", "load()",
            "loadAndReturnError()", "classNamed(_:)", "UIDevice.current.systemVersion",
        ] { #expect(text.contains("`\(call)`"), "\(call)") }
        #expect(text.contains("cannot see"))
    }
}
