// TypeDeclarationTests: the types that an Info.plist declares, and what a bad declaration is told.

import ExtensionRegistry
import PropertyListCoding
import Testing
import UniformTypeIdentifiers

@Suite struct TypeDeclarationTests {
    private func read(_ exported: PropertyList?, imported: PropertyList? = nil) -> TypeDeclarationReader {
        var information = PropertyListDictionary()
        information["UTExportedTypeDeclarations"] = exported
        information["UTImportedTypeDeclarations"] = imported
        return TypeDeclarationReader(information)
    }

    // spec: P-341
    @Test func everyKeyOfADeclarationCounts() {
        let reader = read(
            [
                [
                    "UTTypeIdentifier": "com.example.note", "UTTypeConformsTo": ["public.data", "public.content"],
                    "UTTypeDescription": "Note", "UTTypeReferenceURL": "https://example.com/note", "UTTypeVersion": "3",
                    "UTTypeIconFiles": ["note.png"],
                    "UTTypeTagSpecification": [
                        "public.filename-extension": ["note", "nt"], "public.mime-type": "application/x-note",
                        "com.example.class": "N",
                    ],
                ]
            ],
            imported: [
                ["UTTypeIdentifier": "com.other.thing", "UTTypeConformsTo": "com.example.note", "UTTypeVersion": 2]
            ])
        #expect(reader.problems.isEmpty)
        #expect(
            reader.types == [
                DeclaredType(
                    identifier: "com.example.note", origin: .exported, supertypes: ["public.data", "public.content"],
                    tags: [
                        .filenameExtension: ["note", "nt"], .mimeType: ["application/x-note"],
                        UTTagClass(rawValue: "com.example.class"): ["N"],
                    ],
                    summary: "Note", referenceURL: "https://example.com/note", version: 3),
                DeclaredType(
                    identifier: "com.other.thing", origin: .imported, supertypes: ["com.example.note"], version: 2),
            ])
        #expect(TypeTable(declaring: reader.types).conforms("com.other.thing", to: "public.data"))
    }

    @Test func anInfoPlistWithoutDeclarationsDeclaresNothing() {
        #expect(read(nil).types.isEmpty && read(nil).problems.isEmpty)
        #expect(read([]).types.isEmpty && read([]).problems.isEmpty)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let declarations: PropertyList
        let words: String
        var testDescription: String { words }

        init(_ words: String, _ declarations: PropertyList) {
            self.words = words
            self.declarations = declarations
        }

        /// A declaration with an identifier, and one value more.
        init(_ words: String, _ key: String, _ value: PropertyList) {
            self.init(
                words, .array([.dictionary(PropertyListDictionary([("UTTypeIdentifier", "a.b"), (key, value)]))]))
        }
    }

    private static let bad: [Bad] = [
        Bad("[0] is not a dictionary", ["a"]), Bad("[0].UTTypeIdentifier is missing", [[:]]),
        Bad("[0].UTTypeIdentifier is no text", "UTTypeIdentifier", 1),
        Bad("[0].UTTypeIdentifier is no text", "UTTypeIdentifier", ""),
        Bad("[0].UTTypeIdentifier must consist of", "UTTypeIdentifier", "a/b"),
        Bad("[0].UTTypeIdentifier must consist of", "UTTypeIdentifier", "Dyn.ah62d4rv4ge8043a"),
        Bad("[0].UTTypeConformsTo is neither", "UTTypeConformsTo", 1),
        Bad("[0].UTTypeConformsTo is neither", "UTTypeConformsTo", ["public.data", 1]),
        Bad("[0].UTTypeConformsTo is neither", "UTTypeConformsTo", .array((0..<65).map { .string("t\($0)") })),
        Bad("[0].UTTypeTagSpecification is not a dictionary", "UTTypeTagSpecification", "ext"),
        Bad(
            "[0].UTTypeTagSpecification.public.mime-type is neither", "UTTypeTagSpecification",
            ["public.mime-type": [[]]]),
        Bad("[0].UTTypeDescription is no text", "UTTypeDescription", true),
        Bad("[0].UTTypeVersion is no integer", "UTTypeVersion", "one"), Bad(" is not a list", "none"),
    ]

    // spec: P-341
    @Test(arguments: bad)
    func aBadDeclarationDisablesItselfOnly(_ bad: Bad) {
        let good: PropertyList = ["UTTypeIdentifier": "com.example.good"]
        let exported = bad.declarations.array.map { PropertyList.array($0 + [good]) } ?? bad.declarations
        let reader = read(exported, imported: [good])
        #expect(reader.problems.count == 1)
        #expect(
            reader.problems.first?.hasPrefix("UTExportedTypeDeclarations" + bad.words) == true, "\(reader.problems)")
        #expect(reader.problems.first?.contains(". ") == true, "a remedy follows")
        #expect(
            reader.types.map(\.identifier)
                == Array(repeating: "com.example.good", count: bad.declarations.array == nil ? 1 : 2))
    }

    @Test func moreThanTheLimitAreLeftOutAndSaid() {
        let reader = read(.array((0..<300).map { ["UTTypeIdentifier": .string("com.example.t\($0)")] }))
        #expect(reader.types.count == 256)
        #expect(reader.problems.count == 1)
    }
}
