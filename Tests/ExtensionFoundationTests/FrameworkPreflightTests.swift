// FrameworkPreflightTests: what keeps a framework from being loaded, told before it is tried.

import ExtensionFoundation
import Foundation
import FrameworkPreflight
import LinuxSystem
import TestPrograms
import Testing

@Suite struct FrameworkPreflightTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    private func run(_ arguments: [String]) throws {
        try #require(try Program.status(of: "/usr/bin/env", arguments, in: folder.path) == 0)
    }

    /// A framework whose library clang has made of C.
    private func framework(_ source: String, _ arguments: [String]) throws -> Bundle {
        let path = folder.path + "/Frameworks/Kit.framework"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let information: [String: Any] = ["CFBundleIdentifier": "org.example.Kit", "CFBundleExecutable": "Kit"]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: path + "/Info.plist"))
        try Data(source.utf8).write(to: URL(fileURLWithPath: folder.path + "/source.c"))
        try run(["clang", "-fPIC", "-o", path + "/Kit", "source.c"] + arguments)
        return try #require(Bundle(path: path))
    }

    private func failure(_ bundle: Bundle) -> CocoaError? {
        #expect(throws: CocoaError.self) { try bundle.preflightFramework() }
    }

    @Test("CL-6: a library of C that needs nothing is fine, and is not loaded by the check")
    func aGoodLibrary() throws {
        defer { try? folder.remove() }
        let bundle = try framework("int kit(void) { return 1; }", ["-shared"])
        try bundle.preflightFramework()
        #expect(!bundle.isLoaded && CFBundleGetFunctionPointerForName(bundle, "kit") != nil && bundle.isLoaded)
    }

    @Test("CL-6: a bundle without a library, a program, and a file that is no ELF file are not loadable")
    func noLibrary() throws {
        defer { try? folder.remove() }
        let bundle = try framework("int main(void) { return 0; }", ["-pie"])
        let program = failure(bundle)
        #expect(program?.code == .executableNotLoadable)
        #expect(program?.localizedDescription.contains("not a shared library") == true)
        let file = bundle.bundlePath + "/Kit"
        try Data("no library".utf8).write(to: URL(fileURLWithPath: file))
        #expect(failure(bundle)?.localizedDescription.contains("it is not an ELF file") == true)
        try FileManager.default.removeItem(atPath: file)
        let copy = folder.path + "/Copy.framework"
        try FileManager.default.copyItem(atPath: bundle.bundlePath, toPath: copy)
        #expect(failure(try #require(Bundle(path: copy)))?.code == .executableNotLoadable)
    }

    @Test("CL-6: a library of another machine is told with its machine")
    func anotherMachine() throws {
        defer { try? folder.remove() }
        let bundle = try framework("int kit(void) { return 1; }", ["-shared"])
        let file = URL(fileURLWithPath: bundle.bundlePath + "/Kit")
        var bytes = try Data(contentsOf: file)
        (bytes[18], bytes[19]) = (22, 0)
        try bytes.write(to: file)
        let error = failure(bundle)
        #expect(error?.code == .executableArchitectureMismatch)
        #expect(error?.localizedDescription.contains("S/390") == true)
    }

    @Test("CL-6: missing libraries are told by name, those of a needed library, too; a run path finds them")
    func missingLibraries() throws {
        defer { try? folder.remove() }
        try Data("int deep(void) { return 1; }".utf8).write(to: URL(fileURLWithPath: folder.path + "/deep.c"))
        try run(["clang", "-fPIC", "-shared", "-o", "libdeep.so", "deep.c"])
        try Data("int deep(void); int inner(void) { return deep(); }".utf8)
            .write(to: URL(fileURLWithPath: folder.path + "/inner.c"))
        try run([
            "clang", "-fPIC", "-shared", "-o", "libinner.so", "inner.c", "libdeep.so", "-Wl,-rpath,$ORIGIN",
        ])
        let bundle = try framework(
            "int inner(void); int kit(void) { return inner(); }",
            ["-shared", "libinner.so", "-lm", "-Wl,-rpath,$ORIGIN/.."])
        let error = failure(bundle)
        #expect(error?.code == .executableLink)
        #expect(error?.localizedDescription.contains("it needs libinner.so, which") == true, "\(error as Any)")
        let (inner, frameworks) = (folder.path + "/libinner.so", folder.path + "/Frameworks")
        try FileManager.default.moveItem(atPath: inner, toPath: frameworks + "/libinner.so")
        #expect(failure(bundle)?.localizedDescription.contains("it needs libdeep.so, which") == true)
        try FileManager.default.moveItem(
            atPath: folder.path + "/libdeep.so", toPath: frameworks + "/libdeep.so")
        try bundle.preflightFramework()
        try bundle.loadAndReturnError()
        #expect(bundle.isLoaded)
    }
}
