// TargetModelsTests: Core ML models become the classes that Xcode generates, from their descriptions alone.

import Foundation
import LinuxSystem
import Testing

@testable import Bundling

@Suite struct TargetModelsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "exthost-tests") }

    /// Returns a field with a length.
    private static func field(_ number: Int, _ contents: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(contents.count) + contents
    }
    private static func field(_ number: Int, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
    private static func varint(_ value: Int) -> [UInt8] {
        value < 128 ? [UInt8(value)] : [UInt8(value & 127 | 128)] + varint(value >> 7)
    }
    private static func feature(_ name: String, _ type: [UInt8]) -> [UInt8] { field(1, name) + field(3, type) }

    private static let (text, number, integer) = (field(3, []), field(2, []), field(1, []))
    private static let weights = field(6, field(2, []))

    /// A model with a description, and numbers behind it that nothing reads.
    private static func model(_ inputs: [[UInt8]], _ outputs: [[UInt8]]) -> [UInt8] {
        let description = inputs.flatMap { field(1, $0) } + outputs.flatMap { field(10, $0) } + field(11, "label")
        return varint(8) + varint(3) + field(2, description) + field(400, [1, 2, 3])
    }

    private func models(_ files: [(String, [UInt8])], source: String = "") throws -> TargetModels {
        let paths = try files.map { name, bytes in
            let path = "\(directory.path)/\(name)"
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return path
        }
        let own = directory.path + "/Own.swift"
        try Data(source.utf8).write(to: URL(fileURLWithPath: own))
        return TargetModels(paths, sources: [own])
    }

    // not simulated: N-310
    @Test("a model becomes the classes of the file that DeviceServicesTests compiles, with a warning")
    func classes() throws {
        defer { try? directory.remove() }
        let optional = Self.number + Self.varint(1000 << 3) + [1]
        let bytes = Self.model(
            [
                Self.feature("text", Self.text), Self.feature("word-counts", Self.weights),
                Self.feature("image", Self.field(4, [])), Self.feature("default", optional),
            ],
            [
                Self.feature("label", Self.text), Self.feature("classProbability", Self.weights),
                Self.feature("ranks", Self.field(6, Self.field(1, []))), Self.feature("place", Self.integer),
                Self.feature("vector", Self.field(5, [])),
            ])
        let made = try models([("Spam-1.mlmodel", bytes)])
        #expect(made.findings.map(\.code) == ["modelNotRun"] && made.imports == ["CoreML"])
        let golden = PinsProject.root + "/Tests/DeviceServicesTests/GeneratedModels.swift"
        if ProcessInfo.processInfo.environment["EXTHOST_RENEW_GOLDEN"] != nil {
            try Data((made.text ?? "").utf8).write(to: URL(fileURLWithPath: golden))
        }
        #expect(try made.text == String(contentsOfFile: golden, encoding: .utf8))
    }

    @Test("a damaged model, or one with names that are no Swift identifiers, gets no class and a warning")
    func damage() throws {
        defer { try? directory.remove() }
        let whole = Self.model([Self.feature("text", Self.text)], [Self.feature("label", Self.text)])
        let bad: [[UInt8]] = [
            [], [0xFF, 0xFF], Array(whole.prefix(20)), Self.field(2, []),
            Self.model([], [Self.feature("a\"b", Self.text)]), Self.model([], [Self.feature("init", Self.text)]),
            Self.model([], [Self.feature("list", Self.field(7, []))]), Self.model([], [Self.feature("none", [])]),
            Self.model([Self.feature("a-b", Self.text), Self.feature("a_b", Self.text)], []),
            Array(repeating: 0xFF, count: 64),
            Self.model([], [Self.feature("a", Self.text + [0x1A, 9])]),
            Self.model([], [Self.feature("a", Self.field(6, [0x12, 9]))]),
            Self.model([], [Self.feature("_" + String(repeating: "a", count: 128), Self.text)]),
        ]
        let names = [
            "a\u{600}\"+evil()+\"\u{301}b", "a\\\u{301}", "a\nb", "a\u{7F}", "a\0", "MLFeatureValue", "AInput",
        ]
        for bytes in bad + names.map({ Self.model([], [Self.feature($0, Self.text)]) }) {
            let made = try models([("A.mlmodel", bytes)])
            #expect(made.findings.map(\.code) == ["modelUnreadable"] && made.text == nil)
        }
        #expect(try models([("class.mlmodel", whole)]).text == nil)
        let missing = TargetModels([directory.path + "/Missing.mlmodel"], sources: [])
        #expect(missing.findings.map(\.code) == ["modelUnreadable"])
        let pipe = directory.path + "/Pipe.mlmodel"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(TargetModels([pipe], sources: []).text == nil)
        let package = TargetModels([directory.path + "/Package.mlpackage"], sources: [])
        #expect(package.findings.map(\.code) == ["modelUnreadable"] && "Package.mlpackage".isOpaqueFolder)
    }

    @Test("names of parameters, of numbers and of types cannot shadow or clash, and inputs may be absent")
    func names() throws {
        defer { try? directory.remove() }
        let whole = Self.model([], ["148", "248"].map { Self.feature($0, Self.number) })
        let odd = Self.model(
            ["featureName", "prediction", "inout"].map { Self.feature($0, Self.text) }, [Self.feature("a", Self.text)])
        let names = [
            "A.MLMODEL", "AInput.mlmodel", "Set.mlmodel", "A-.mlmodel", "A_.mlmodel", "Own.mlmodel", "C.mlmodel",
        ]
        let made = try models(names.map { ($0, $0 == "C.mlmodel" ? odd : whole) }, source: "struct OwnInput {}")
        #expect(
            made.findings.map(\.code) == [
                "modelNotRun", "modelUnreadable", "modelUnreadable", "modelNotRun", "modelUnreadable",
                "modelUnreadable", "modelNotRun",
            ])
        let text = try #require(made.text)
        #expect(text.contains("_inputs: [],") && text.contains("var _148:") && text.contains("var _248:"))
        #expect(text.contains("return MLFeatureValue(string: self.featureName)"))
        #expect(text.contains("try self.prediction("))
        #expect(text.contains("`inout`: `inout`") && !text.contains("class AInputInput"))
    }

    @Test("a class of the author's own takes the place of the generated one")
    func own() throws {
        defer { try? directory.remove() }
        let whole = Self.model([Self.feature("text", Self.text)], [Self.feature("label", Self.text)])
        let made = try models([("A.mlmodel", whole), ("B.mlmodel", whole)], source: "final class A {}")
        #expect(made.findings.count == 1 && made.text?.contains("class B {") == true)
        #expect(made.text?.contains("class A {") == false)
    }
}
