// EntryPointTests: which sources have a main of their own.

import Foundation
import LinuxSystem
import Testing

@testable import Bundling

@Suite struct EntryPointTests {
    @Test(arguments: [
        ("A.swift", "@main struct Main {}", true), ("main.swift", "", true), ("A.c", "", true),
        ("A.swift", "  @main\nfinal class App {}", true), ("A.swift", "let text = \"\\\"\"; @main enum E {}", true),
        ("A.swift", "/* a /* b */ c */ @main enum E {}", true),
        ("A.swift", "// @main struct Main {}", false), ("A.swift", "/* @main /* */ @main */ class A {}", false),
        ("A.swift", "let text = \"@main\"", false), ("A.swift", "@mainActor class A {}", false),
        ("A.swift", "@MainActor class A {}", false),
        ("A.swift", "@main class A: UIResponder, UIApplicationDelegate {}", false),
        ("A.swift", "@main class A: UIResponder {} // UIApplicationDelegate", true),
        ("A.swift", "@main class A: UIResponder {}\nextension A: UIApplicationDelegate {}", true),
        ("A.swift", "@main struct Entry {}\nclass A: UIApplicationDelegate {}", true),
        ("A.swift", "@main final class A: NSObject, NSApplicationDelegate {}", false),
        ("A.swift", "@main class A<T: UIApplicationDelegate>: B {}", true),
        ("A.swift", "", false),
    ])
    func aMainIsSeen(name: String, text: String, expected: Bool) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = "\(folder.path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        #expect(EntryPoint.exists(in: [file]) == expected)
    }

    @Test func aFileOfTheNameStaysAsItIs() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try EntryPoint.write(into: folder.path)
        #expect(EntryPoint.exists(in: [folder.path + "/ExtensionMain.swift"]))
        let error = try #require(throws: ProjectError.self) { try EntryPoint.write(into: folder.path) }
        #expect(error.findings.map(\.code) == ["notWritten"])
    }
}
