// IntentDefinitionTests: definitions of intents are read within bounds, and become the classes that Xcode generates.

import BundleLint
import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@testable import Bundling

@Suite struct IntentDefinitionTests {
    static let soup = PinsProject.root + "/Tests/Fixtures/Soups/Order/Soup.intentdefinition"
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "exthost-tests") }

    /// Reads a definition as a file in XML.
    private func read(_ root: PropertyList, sources: [String: String] = [:]) throws -> TargetIntents {
        let path = directory.path + "/Test.intentdefinition"
        try Data(root.encodeBinary()).write(to: URL(fileURLWithPath: path))
        for (name, text) in sources { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory.path)/\(name)")) }
        return TargetIntents(
            definitions: [path], sources: sources.keys.sorted().map { "\(directory.path)/\($0)" })
    }

    private func intent(_ name: String, _ parameters: PropertyList = []) -> PropertyList {
        ["INIntentName": .string(name), "INIntentParameters": parameters]
    }

    private func parameter(_ name: String, _ type: String = "String") -> PropertyList {
        ["INIntentParameterName": .string(name), "INIntentParameterType": .string(type)]
    }

    @Test func classesAreThoseOfTheGoldenFile() throws {
        defer { try? directory.remove() }
        let made = TargetIntents(definitions: [Self.soup], sources: [])
        #expect(made.findings.isEmpty && made.imports.contains("Intents"))
        let golden = PinsProject.root + "/Tests/Fixtures/GeneratedIntents.golden"
        if ProcessInfo.processInfo.environment["EXTHOST_RENEW_GOLDEN"] != nil {
            try Data((made.text ?? "").utf8).write(to: URL(fileURLWithPath: golden))
        }
        let expected = try String(contentsOfFile: golden, encoding: .utf8).split(separator: "\n")
        let text = (made.text ?? "").split(separator: "\n")
        for (line, (one, other)) in zip(text, expected).enumerated() where one != other {
            Issue.record("line \(line + 1): \(one)")
            break
        }
        #expect(text.count == expected.count)
    }

    @Test func definitionsHaveTheirIntentsTypesAndEnumerations() throws {
        defer { try? directory.remove() }
        let made = TargetIntents(definitions: [Self.soup], sources: []).definition
        #expect(made.intents.map(\.className) == ["OrderSoupIntent", "OrgCloseShopIntent"])
        let order = made.intents[0]
        #expect(order.category == "order" && order.verb == "Order" && order.response.output == "waitTime")
        #expect(
            order.parameters.map(\.property.type) == [
                .object("Soup"), .integer, .enumeration("SoupSize"), .string, .dateComponents,
            ])
        #expect(order.parameters.map(\.isResolved) == [true, true, true, true, false])
        #expect(order.parameters.map(\.property.isMultiple) == [false, false, false, true, false])
        #expect(order.parameters[1].unsupportedReasons == ["lessThanMinimumValue", "greaterThanMaximumValue"])
        // The texts name the parameters, each once, in their order.
        #expect(order.response.codes.map(\.parameters) == [["soup", "waitTime"], [], ["soup"], []])
        #expect(order.response.ownCodes.map(\.value) == [100, 101])
        #expect(made.types.map(\.properties).map { $0.map(\.name) } == [["spiciness"]])
    }

    @Test(arguments: [
        ("Two Words", "Two Words"), ("1st", "1st"), ("A\u{0}B", "A\u{FFFD}B"), ("A{}", "A{}"), ("", nil),
        ("A\"", "A\""), ("_a", "_a"),
        (String(repeating: "A", count: 200), nil), ("A\nimport Glibc", "A\u{FFFD}import Glibc"),
    ])
    func aNameThatSwiftDoesNotHaveIsLeftOut(name: String, shown: String?) throws {
        defer { try? directory.remove() }
        let made = try read(["INIntents": [intent(name), intent("Good", [parameter(name), parameter("kept")])]])
        #expect(made.definition.intents.map(\.name) == ["Good"])
        #expect(made.definition.intents[0].parameters.map(\.name) == ["kept"])
        #expect(made.findings.count == 2 && made.findings.allSatisfy { $0.severity == .warning && !$0.remedy.isEmpty })
        #expect(made.findings[0].code == "intentLeftOut" && made.findings[0].key == "INIntents.0.INIntentName")
        #expect(
            made.findings[1].key == "INIntents.1.INIntentParameters.0.INIntentParameterName")
        if let shown { #expect(made.findings[0].message.contains("“\(shown)”")) }
        #expect(made.text?.contains("import Glibc") == false)
    }

    @Test func aNameThatExistsAlreadyIsLeftOut() throws {
        defer { try? directory.remove() }
        let made = try read(
            [
                "INIntents": [
                    intent(
                        "Order", [parameter("size"), parameter("size"), parameter("Size"), parameter("description")]),
                    intent("Order"), intent("Checked"),
                ],
                "INTypes": [
                    ["INTypeName": "Soup"], ["INTypeName": "OrderIntent"], ["INTypeName": "String"],
                    ["INTypeName": "INObject"],
                ],
                "INEnums": [
                    ["INEnumName": "Soup", "INEnumValues": [["INEnumValueName": "a"], ["INEnumValueName": "a"]]]
                ],
            ],
            sources: [
                "Checked.swift": "#if canImport(Intents)\npublic class CheckedIntent: INIntent {}\n#endif",
                "Nested.swift": "struct Outer { enum SoupResolutionResult {} }",
            ])
        #expect(made.definition.enumerations.map(\.name) == ["Soup"])
        #expect(made.definition.enumerations[0].cases.map(\.name) == ["a"])
        // The type takes the name that the intent would have.
        #expect(made.definition.types.map(\.name) == ["OrderIntent"])
        #expect(made.definition.intents.isEmpty)
        let checked = made.findings.first { $0.message.contains("Checked.swift") }
        #expect(checked?.remedy.contains("No Generated Classes") == true)
        let again = try read(["INIntents": [intent("Order", [parameter("a"), parameter("A"), parameter("hash")])]])
        #expect(again.definition.intents[0].parameters.map(\.name) == ["a"] && again.findings.count == 2)
    }

    @Test func aNameOfTheModuleOrOfGeneratedCodeIsLeftOut() throws {
        defer { try? directory.remove() }
        let made = try read([
            "INTypes": [
                ["INTypeName": "INStringResolutionResult"],
                [
                    "INTypeName": "Soup",
                    "INTypeProperties": [
                        ["INTypePropertyName": "spokenPhrase", "INTypePropertyType": "String"],
                        ["INTypePropertyName": "vocabularyIdentifier", "INTypePropertyType": "String"],
                        ["INTypePropertyName": "kept", "INTypePropertyType": "String"],
                    ],
                ],
            ]
        ])
        #expect(made.definition.types.map(\.name) == ["Soup"])
        #expect(made.definition.types.first?.properties.map(\.name) == ["kept"])
        #expect(made.findings.count == 3)
    }

    @Test func anEnumerationAlwaysHasACaseForNoValue() throws {
        defer { try? directory.remove() }
        let names: [PropertyList] = ["unknown", "none", "unknownValue", "unknown0"]
        let values = names.enumerated().map { index, name -> PropertyList in
            ["INEnumValueName": name, "INEnumValueIndex": .integer(Int64(index) + 1)]
        }
        let made = try read(["INEnums": [["INEnumName": "Size", "INEnumValues": .array(values)]]])
        #expect(made.definition.enumerations.first?.cases.map(\.value) == [0, 1, 2, 3, 4])
        #expect(made.definition.enumerations.first?.cases.first?.name == "unknown1")
    }

    // not simulated: N-213
    @Test func aTypeThatDoesNotExistIsLeftOut() throws {
        defer { try? directory.remove() }
        let made = try read([
            "INIntents": [
                intent(
                    "Order",
                    [
                        parameter("place", "Placemark"), parameter("a", "Nothing"), parameter("person", "Person"),
                        parameter("old", "Object"),
                        [
                            "INIntentParameterName": "soup", "INIntentParameterType": "Object",
                            "INIntentParameterObjectType": "Soup",
                        ],
                        [
                            "INIntentParameterName": "size", "INIntentParameterType": "Integer",
                            "INIntentParameterEnumType": "Size",
                        ],
                    ])
            ]
        ])
        #expect(made.definition.intents[0].parameters.map(\.name) == ["person", "old"])
        #expect(
            made.findings.map { $0.message.components(separatedBy: "“").last } == [
                "Placemark”", "Nothing”", "Soup”", "Size”",
            ])
    }

    @Test func aFileThatCannotBeReadDisablesOnlyItself() throws {
        defer { try? directory.remove() }
        let broken = directory.path + "/Broken.intentdefinition"
        try Data("<plist><dict><key>INIntents</key>\n<oops/></dict></plist>".utf8).write(
            to: URL(fileURLWithPath: broken))
        let array = directory.path + "/Array.intentdefinition"
        try Data("<plist><array/></plist>".utf8).write(to: URL(fileURLWithPath: array))
        let large = directory.path + "/Large.intentdefinition"
        try Data(count: IntentDefinitionReader.fileLimit + 1).write(to: URL(fileURLWithPath: large))
        let made = TargetIntents(
            definitions: [
                broken, array, large, directory.path + "/Missing.intentdefinition", Self.soup,
            ], sources: [])
        #expect(made.findings.map(\.code) == Array(repeating: "intentsUnreadable", count: 4))
        #expect(made.findings.map(\.line) == [2, nil, nil, nil])
        #expect(made.definition.intents.count == 2)
    }

    @Test func countsAreBounded() throws {
        defer { try? directory.remove() }
        let many = (0..<600).map { intent("A\($0)", .array((0..<20).map { parameter("p\($0)") })) }
        let made = try read(["INIntents": .array(many), "INEnums": 1, "INTypes": [1, [:]]])
        #expect(made.definition.intents.count == 500)
        #expect(made.definition.intents.map(\.parameters.count).reduce(0, +) == IntentDefinitionReader.parametersLimit)
        #expect(made.findings.count == IntentDefinitionReader.findingsLimit)
    }

    @Test func noInputEndsTheProcess() throws {
        defer { try? directory.remove() }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.soup)))
        let path = directory.path + "/Cut.intentdefinition"
        for length in stride(from: 0, to: bytes.count, by: 211) {
            try Data(bytes[..<length]).write(to: URL(fileURLWithPath: path))
            #expect(TargetIntents(definitions: [path], sources: []).text == nil)
        }
        let keys: [PropertyList] = [1, "a", [], [:], true, .data([1]), [[:]], [["INIntentName": 1]]]
        for value in keys {
            for key in ["INIntents", "INEnums", "INTypes"] { _ = try read([key: value]) }
            _ = try read([
                "INIntents": [
                    [
                        "INIntentName": "A", "INIntentParameters": value, "INIntentResponse": value,
                        "INIntentClassPrefix": value,
                    ],
                    ["INIntentName": "B", "INIntentResponse": ["INIntentResponseCodes": value]],
                ]
            ])
        }
        #expect(IntentDefinitionReader.references("${a} ${b.c} ${ ${d") == ["a", "b"])
    }
}
