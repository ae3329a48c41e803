// TypeTableTests: what bundles declare beside the system's types, and conformance of what random declarations make.

import Testing

@testable import UniformTypeIdentifiers

@Suite struct TypeTableTests {
    private func declared(
        _ identifier: String, _ origin: DeclaredType.Origin = .exported, below supertypes: [String] = ["public.data"],
        extensions: [String] = [], summary: String? = nil
    ) -> DeclaredType {
        DeclaredType(
            identifier: identifier, origin: origin, supertypes: supertypes, tags: [.filenameExtension: extensions],
            summary: summary)
    }

    // spec: P-341
    @Test func whatABundleDeclaresConformsUpwards() {
        let table = TypeTable(declaring: [
            declared(
                "Org.Example.Note", below: ["org.example.paper", "public.Plain-Text"], extensions: ["Note", "a/b"]),
            declared("org.example.paper", .imported),
        ])
        for above in ["org.example.note", "ORG.EXAMPLE.PAPER", "public.text", "public.data", "public.item"] {
            #expect(table.conforms("org.example.NOTE", to: above), "\(above)")
        }
        #expect(!table.conforms("org.example.note", to: "public.image"))
        #expect(!table.conforms("org.example.paper", to: "org.example.note"))
        #expect(table.declares("org.example.note") && !table.declares("org.example.other"))
        #expect(table.identifiers(tag: "NOTE", tagClass: .filenameExtension) == ["Org.Example.Note"])
        #expect(table["org.example.note"]?.tags == [.filenameExtension: ["note"]], "a/b can be no filename extension")
        #expect(
            TypeTable.system.conforms("org.example.note", to: "public.data") == false, "the system's table is as before"
        )
    }

    // spec: P-342
    @Test func theSystemComesBeforeExportedAndExportedBeforeImported() {
        let table = TypeTable(declaring: [
            declared("org.example.a", .imported, summary: "imported"), declared("ORG.example.a", summary: "first"),
            declared("org.example.a", summary: "second"),
            declared("public.JPEG", below: ["public.text"], summary: "mine"),
            declared("public.new", summary: "exported"), declared("public.new", .imported, summary: "imported"),
            declared("org.example.b", .imported, summary: "one"), declared("org.example.b", .imported, summary: "two"),
        ])
        #expect(table["org.example.a"]?.summary == "first")
        #expect(table["public.jpeg"]?.summary == "JPEG image")
        #expect(!table.conforms("public.jpeg", to: "public.text"))
        #expect(table["public.new"]?.summary == "exported", "the public domain has no owner: the first counts")
        #expect(table["org.example.b"]?.summary == "one")
    }

    @Test func aSupertypeThatNobodyDeclaresCountsAllTheSame() {
        let dynamic = UTType(filenameExtension: "xyz", conformingTo: .image)!.identifier  // an extension as any other
        let table = TypeTable(declaring: [
            declared("org.example.a", below: ["Com.Other.Base"]), declared("org.example.b", below: [dynamic]),
        ])
        #expect(table.conforms("org.example.a", to: "com.other.BASE"))
        #expect(!table.declares("com.other.base"))
        #expect(table.conforms("org.example.b", to: dynamic) && table.conforms("org.example.b", to: "public.image"))
    }

    // spec: P-342
    @Test func aCircleOfBundlesLosesOneConformanceAndSaysWhich() {
        let table = TypeTable(declaring: [
            declared("org.example.a", below: ["org.example.b", "public.text"]),
            declared("org.example.b", below: ["org.example.a"]),
        ])
        #expect(
            table.conforms("org.example.a", to: "org.example.b") != table.conforms("org.example.b", to: "org.example.a")
        )
        #expect(table.problems.count == 1)
        #expect(table.problems.first?.contains("org.example.a") == true)
    }

    @Test func tooManyTypesAreLeftOutAndSaid() {
        let many = (0..<TypeTable.limit).map { declared("org.example.t\($0)", below: ["org.example.t\($0 + 1)"]) }
        let table = TypeTable(declaring: many)
        #expect(table.declarations.count == TypeTable.limit)
        #expect(!table.problems.isEmpty)
        #expect(table.conforms("org.example.t0", to: "org.example.t4000"), "a long chain needs no deep stack")
    }

    @Test func handlesAnswerAsStringsDo() {
        let table = TypeTable(declaring: [declared("org.example.a", below: ["public.png", "com.other.base"])])
        let dynamic = [UTType.image, UTType(exportedAs: "Org.Unknown.Box"), nil].map {
            UTType(tag: "xyz", tagClass: .filenameExtension, conformingTo: $0)!.identifier  // an extension as any other
        }
        // As above.
        let inner = UTType(tag: "in", tagClass: .filenameExtension, conformingTo: UTType(dynamic[0]))!.identifier
        let names =
            [
                "org.example.a", "Com.Other.Base", "public.png", "PUBLIC.IMAGE", "nobody", "NOBODY", "org.unknown.box",
                "", inner,
            ]
            + dynamic
        for name in names {
            for other in names {
                let expected =
                    name.lowercased() == other.lowercased()
                    || table.supertypes(of: name.lowercased()).contains(other.lowercased())
                #expect(table.conforms(table.handle(name), to: table.handle(other)) == expected, "\(name) to \(other)")
                #expect(table.conforms(name, to: other) == expected)
            }
        }
    }

    @Test func anotherTablesHandleNeverTraps() {
        let big = TypeTable(declaring: (0..<500).map { declared("org.example.t\($0)") })
        let far = big.handle("org.example.t499")
        #expect(!TypeTable.system.conforms(far, to: far))
    }

    // spec: P-340
    @Test(arguments: 0..<40)
    func conformanceOfRandomDeclarationsIsReflexiveTransitiveAndWithoutCircles(_ seed: UInt64) {
        var generator = SeededNumbers(state: seed)
        let names = (0..<24).map { "org.example.t\($0)" }
        let types = names.map { name in
            declared(
                Bool.random(using: &generator) ? name : name.uppercased(),
                Bool.random(using: &generator) ? .exported : .imported,
                below: (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    Int.random(in: 0..<8, using: &generator) == 0
                        ? "public.text" : names.randomElement(using: &generator) ?? ""
                })
        }
        let table = TypeTable(declaring: types)
        let all = names + ["public.text", "public.data"]
        for a in all {
            #expect(table.conforms(a, to: a) && table.conforms(a.uppercased(), to: a))
            let above = table.supertypes(of: a)
            #expect(!above.contains(a) && Set(above).count == above.count)
            for b in all {
                #expect(table.conforms(a, to: b) == (a == b || above.contains(b)))
                if a != b, table.conforms(a, to: b) {
                    #expect(!table.conforms(b, to: a))
                    for c in all where table.conforms(b, to: c) { #expect(table.conforms(a, to: c)) }
                }
            }
        }
        // Nothing is lost but what would close a circle.
        #expect(
            table.problems.isEmpty
                == types.allSatisfy { type in
                    type.supertypes.allSatisfy {
                        type.identifier.lowercased() == $0 || table.conforms(type.identifier, to: $0)
                    }
                })
    }

    // spec: P-341
    @Test func installedTypesAreKnownToUTType() async {
        await #expect(processExitsWith: .success) {
            let table = TypeTable(declaring: [
                DeclaredType(
                    identifier: "org.example.note", origin: .exported, supertypes: ["public.plain-text"],
                    tags: [
                        .filenameExtension: ["note"], .mimeType: ["text/x-note"],
                        UTTagClass(rawValue: "org.example.class"): ["N"],
                    ],
                    summary: "note", referenceURL: "https://example.org/note", version: 3)
            ])
            precondition(UTType("org.example.note") == nil)
            precondition(TypeTable.install(table) && !TypeTable.install(.system))
            let note = UTType("Org.Example.Note")!  // it was installed just now
            precondition(note.identifier == "org.example.note" && note.isDeclared && note.version == 3)
            precondition(note.localizedDescription == "note" && note.referenceLink == "https://example.org/note")
            precondition(note.conforms(to: .text) && note.preferredMIMEType == "text/x-note")
            precondition(
                UTType(filenameExtension: "NOTE") == note
                    && UTType(mimeType: "text/x-note", conformingTo: .text) == note)
            precondition(
                UTType(tag: "N", tagClass: UTTagClass(rawValue: "org.example.class"), conformingTo: nil) == note)
            precondition(UTType(exportedAs: "org.example.note", conformingTo: .image).conforms(to: .image) == false)
        }
    }
}

/// The same numbers in every run.
private struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
