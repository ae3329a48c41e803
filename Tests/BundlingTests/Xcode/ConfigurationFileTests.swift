// ConfigurationFileTests: .xcconfig files with includes and conditions, and settings in layers.

import Foundation
import LinuxSystem
import Testing

@testable import Bundling

@Suite final class ConfigurationFileTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    deinit { try? folder.remove() }

    private func write(_ name: String, _ text: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func filesIncludeOthersAndLaterLinesCount() throws {
        _ = try write("sub/B.xcconfig", "A = 2\nB = $(A)\n#include \"C.xcconfig\"\n")
        _ = try write("sub/C.xcconfig", "C = 3 // why\n")
        let file = try write(
            "A.xcconfig", "A = 1\n#include? \"Missing.xcconfig\"\n#include \"sub/B.xcconfig\"\nD[config=Debug] = 4\n")
        let read = try ConfigurationFile(file)
        #expect(
            read.assignments.map(\.name) == ["A", "A", "B", "C", "D"]
                && read.assignments.last?.conditions == ["config=Debug"])
        #expect(read.files.count == 3)
        let settings = try BuildSettings.read(file: file)
        #expect(settings.values == ["A": "2", "B": "$(A)", "C": "3", "D": "4"] && settings.expanded("$(B)") == "2")
    }

    @Test(arguments: [
        ("A = 1\n#include \"B.xcconfig\"", 2), ("A", 1), ("\n#include B", 2), ("A[sdk=x = 1", 1),
        ("#include \"A.xcconfig\"", 1),
        ("1 2 = 3", 1), ("A = \(String(repeating: "x", count: 5000))", 1),
    ])
    func whatIsNoSettingHasItsLine(text: String, line: Int) throws {
        let file = try write("A.xcconfig", text)
        let error = try #require(throws: ProjectError.self) { try ConfigurationFile(file) }
        #expect(error.findings.map(\.code) == ["settingInvalid"] && error.findings.first?.line == line)
    }

    @Test func filesThatIncludeEachOtherHaveAnEnd() throws {
        let file = try write("A.xcconfig", "#include \"B.xcconfig\"")
        _ = try write("B.xcconfig", "#include \"A.xcconfig\"")
        #expect(throws: ProjectError.self) { try ConfigurationFile(file) }
        for index in 0..<40 { _ = try write("\(index).xcconfig", "#include \"\(index + 1).xcconfig\"\nA = \(index)") }
        #expect(throws: ProjectError.self) { try ConfigurationFile("\(folder.path)/0.xcconfig") }
    }

    @Test func layersInheritAndConditionsChoose() {
        func layer(_ pairs: [(String, String)]) -> SettingLayer {
            SettingLayer(assignments: pairs.compactMap { SettingAssignment($0, value: $1) }, files: [], missing: [])
        }
        var layers = SettingLayers(["NAME": "X"], conditions: SettingConditions(configuration: "Debug"))
        layers.add(layer([("A", "1"), ("FLAGS", "ONE"), ("ID[sdk=macosx*]", "mac"), ("ID", "all")]))
        layers.add(
            layer([
                ("FLAGS", "$(inherited) TWO"), ("ID[sdk=iphoneos*]", "phone"), ("A[config=Release]", "2"),
                ("B", "$A-$(NAME)"),
                ("C[arch=arm64,config=Debug]", "both"), ("LOOP", "$(LOOP)x"),
            ]))
        let expected = [
            "NAME": "X", "A": "1", "FLAGS": "ONE TWO", "ID": "phone", "B": "$(A)-$(NAME)", "C": "both", "LOOP": "x",
        ]
        #expect(layers.values == expected)
    }
}
