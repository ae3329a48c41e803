// ServiceDefinitionTests: the property lists of services.

import ExtensionProtocol
import ExtensionRegistry
import Foundation
import LinuxSystem
import Testing

@Suite struct ServiceDefinitionTests {
    private func folder(_ files: [String: String]) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        for (name, text) in files {
            try Data("<plist version=\"1.0\"><dict>\(text)</dict></plist>".utf8)
                .write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        return folder
    }

    // spec: PC-21
    @Test func theFirstFolderAndAFileOfTheUserHavePrecedence() throws {
        let first = try folder(["a.b.plist": "<key>Program</key><string>/first</string>"])
        let second = try folder([
            "a.b.plist": "<key>Program</key><string>/second</string>",
            "a.c.plist": """
            <key>Program</key><string>/c</string><key>Arguments</key><array><string>x</string></array>
            <key>NetworkClient</key><true/><key>Containers</key><true/><key>KeepAlive</key><true/>
            """,
            "notes.txt": "",
        ])
        let installed = [ServiceDefinition("a.c", program: "/installed"), ServiceDefinition("a.d", program: "/d")]
        let services = ServiceDefinitions(folders: [first.path, second.path, "/nowhere"], installed: installed)
        #expect(services.problems.isEmpty, "\(services.problems)")
        #expect(services["a.b"] == ServiceDefinition("a.b", program: "/first"))
        let full = ServiceDefinition(
            "a.c", program: "/c", arguments: ["x"], isNetworkClient: true, usesContainers: true, keepsAlive: true)
        #expect(services.keptAlive == ["a.c"] && services.names == ["a.b", "a.c", "a.d"])
        #expect(services["a.c"] == full && services["a.d"]?.program == "/d" && services["a.e"] == nil)
        try first.remove()
        try second.remove()
    }

    // spec: PC-21
    @Test(arguments: [
        ("<key>Program</key><string>relative</string>", "names no absolute path"),
        ("<key>NetworkClient</key><true/>", "names no absolute path"),
        ("<key>Program</key><string>/p</string><key>Sandbox</key><string>none</string>", "Sandbox is not known"),
        ("<key>Program</key><string>/p</string><key>Containers</key><string>yes</string>", "neither true nor false"),
        ("<key>Program</key><string>/p</string><key>Arguments</key><array><true/></array>", "no array of strings"),
        ("<key>Program</key><string>/p</string><key>Arguments</key><string>x</string>", "no array of strings"),
    ])
    func aWrongFileDisablesOnlyItself(text: String, words: String) throws {
        let folder = try folder(["wrong.plist": text, "right.plist": "<key>Program</key><string>/right</string>"])
        let services = ServiceDefinitions(folders: [folder.path], installed: [])
        #expect(services["wrong"] == nil && services["right"]?.program == "/right")
        #expect(services.problems.count == 1 && services.problems[0].contains("\(folder.path)/wrong.plist: "))
        #expect(services.problems[0].contains(words), "\(services.problems)")
        try folder.remove()
    }

    // spec: PC-21
    @Test func whatIsNoPropertyListOrNoNameIsTold() throws {
        let folder = try folder([" a.plist": "<key>Program</key><string>/p</string>"])
        try Data("no list".utf8).write(to: URL(fileURLWithPath: folder.path + "/text.plist"))
        let services = ServiceDefinitions(folders: [folder.path], installed: [])
        #expect(services.problems.count == 2 && services.problems[0].contains("is no identifier"))
        #expect(services.problems[1].contains("cannot be read as a property list"), "\(services.problems)")
        try folder.remove()
    }
}
