// ConformanceTests: the order of types, over the whole table.

import Testing

@testable import UniformTypeIdentifiers

@Suite struct ConformanceTests {
    private let index = TypeTable.system
    private var types: [UTType] { index.declarations.map { UTType(declared: $0.identifier) } }

    @Test func everyLineOfTheTableIsADeclaration() {
        #expect(index.declarations.count == systemTypeTable.split(separator: "\n").count)
        for declaration in index.declarations {
            #expect(declaration.identifier == declaration.key, "the table's identifiers are compared as they are")
            #expect(declaration.summary != nil)
            for (tagClass, tags) in declaration.tags {
                for tag in tags { #expect(tagClass.normalized(tag) == tag) }
            }
        }
    }

    @Test func everySupertypeIsDeclared() {
        for declaration in index.declarations {
            for supertype in declaration.supertypes {
                #expect(index[supertype] != nil, "\(supertype) of \(declaration.key)")
            }
        }
    }

    // spec: P-340
    @Test func conformanceIsReflexiveTransitiveAndHasNoCircles() {
        for type in types {
            #expect(type.conforms(to: type))
            #expect(!type.isSubtype(of: type))
            let above = type.supertypes
            #expect(!above.contains(type))
            for supertype in above {
                #expect(
                    type.conforms(to: supertype) && type.isSubtype(of: supertype) && supertype.isSupertype(of: type))
                #expect(!supertype.conforms(to: type))
                #expect(supertype.supertypes.isSubset(of: above))
            }
        }
    }

    // spec: P-340, P-344
    @Test(arguments: [
        ("public.jpeg", "public.image", true), ("public.jpeg", "public.data", true),
        ("public.jpeg", "public.item", true),
        ("public.image", "public.jpeg", false), ("public.file-url", "public.url", true),
        ("public.url", "public.file-url", false),
        ("com.adobe.pdf", "public.data", true), ("com.adobe.pdf", "public.image", false),
        ("public.utf8-plain-text", "public.text", true), ("public.mpeg-4", "public.audiovisual-content", true),
        ("public.zip-archive", "public.archive", true), ("public.archive", "public.data", false),
        ("public.zip-archive", "public.data", true),
        ("public.comma-separated-values-text", "public.plain-text", true), ("com.apple.log", "public.text", true),
        ("PUBLIC.JPEG", "Public.Image", true), ("org.example.note", "org.example.note", true),
        ("org.example.note", "Org.Example.Note", true), ("org.example.note", "public.data", false), ("", "", true),
        ("public.jpeg", "", false),
    ])
    func stringsConform(_ identifier: String, to other: String, _ expected: Bool) {
        #expect(UTType.identifier(identifier, conformsTo: other) == expected)
    }

    @Test func aTypeStatedByItsOwnerConformsToItsParentsParents() {
        let note = UTType(exportedAs: "org.example.note", conformingTo: .plainText)
        #expect(note.conforms(to: .text) && note.conforms(to: .item) && !note.conforms(to: .image))
        #expect(note.supertypes.contains(.plainText) && note.supertypes.contains(.item))
        #expect(!note.isDeclared && !note.isDynamic && !note.isPublic)
        #expect(UTType(importedAs: "org.example.thing").conforms(to: .data))
        #expect(
            UTType(exportedAs: "public.jpeg", conformingTo: .text).conforms(to: .text) == false,
            "the declaration counts")
        let special = UTType(importedAs: "org.example.note.special", conformingTo: note)
        #expect(special.conforms(to: note))
    }

    @Test func declarationsThatGoInACircleLoseTheOneThatClosesIt() {
        let circular = TypeTable(table: "a|b|||x\nb|c|||x\nc|a|||x")
        #expect(circular.supertypes(of: "a") == ["b", "c"])
        #expect(circular.conforms("a", to: "c") && !circular.conforms("c", to: "a"))
        #expect(circular.problems.count == 1)
        #expect(TypeTable(table: "a|a|||x").supertypes(of: "a").isEmpty)
    }

    @Test func theFirstDeclarationOfAnIdentifierCounts() {
        let index = TypeTable(table: "a|x|||first\nA|y|||second")
        #expect(index.declarations.count == 1)
        #expect(index["a"]?.summary == "first")
    }
}
