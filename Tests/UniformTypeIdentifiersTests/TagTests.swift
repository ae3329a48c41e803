// TagTests: filename extensions, MIME types, and the dynamic types made of unknown ones.

import Testing

@testable import UniformTypeIdentifiers

@Suite struct TagTests {
    // spec: P-345
    @Test(arguments: [
        ("jpg", "public.jpeg"), ("JPEG", "public.jpeg"), ("txt", "public.plain-text"), ("pdf", "com.adobe.pdf"),
        ("md", "net.daringfireball.markdown"), ("mov", "com.apple.quicktime-movie"),
        ("c++", "public.c-plus-plus-source"),
    ])
    func filenameExtensionsNameTypes(_ filenameExtension: String, _ identifier: String) {
        #expect(UTType(filenameExtension: filenameExtension)?.identifier == identifier)
    }

    // spec: P-345
    @Test(arguments: [
        ("image/jpeg", "public.jpeg"), ("IMAGE/PNG", "public.png"), ("text/plain", "public.plain-text"),
        ("text/plain; charset=UTF-8", "public.utf8-plain-text"), ("text/html; charset=latin1", "public.html"),
        ("message/rfc822", "com.apple.mail.email"),
    ])
    func mimeTypesNameTypes(_ mimeType: String, _ identifier: String) {
        #expect(UTType(mimeType: mimeType)?.identifier == identifier)
    }

    @Test func theSupertypeChoosesAmongTypesOfOneTag() throws {
        #expect(UTType.types(tag: "rtf", tagClass: .filenameExtension, conformingTo: nil) == [.rtf])
        #expect(UTType(tag: "message/rfc822", tagClass: .mimeType, conformingTo: nil) == .emailMessage)
        #expect(UTType(filenameExtension: "app", conformingTo: .directory) == .applicationBundle)
        let jpegThatIsText = try #require(UTType(filenameExtension: "jpg", conformingTo: .text))
        #expect(jpegThatIsText.isDynamic && jpegThatIsText.conforms(to: .text) && !jpegThatIsText.conforms(to: .image))
    }

    @Test func everyTagOfTheTableLeadsBackToATypeThatHasIt() {
        for declaration in TypeTable.current.declarations {
            for (tagClass, tags) in declaration.tags {
                for tag in tags {
                    let types = UTType.types(tag: tag, tagClass: tagClass, conformingTo: nil)
                    #expect(types.contains { $0.identifier == declaration.identifier })
                    #expect(types.allSatisfy { $0.tags[tagClass]?.contains(tag) == true })
                }
            }
        }
    }

    @Test func preferredTagsComeFirst() {
        #expect(UTType.jpeg.preferredFilenameExtension == "jpeg")
        #expect(UTType.jpeg.preferredMIMEType == "image/jpeg")
        #expect(UTType.image.preferredFilenameExtension == nil)
        #expect(UTType.jpeg.tags == [.filenameExtension: ["jpeg", "jpg", "jpe"], .mimeType: ["image/jpeg"]])
    }

    @Test func whatCanBeNoTagNamesNoType() {
        #expect(UTType(filenameExtension: "") == nil)
        #expect(UTType(filenameExtension: "a/b") == nil)
        #expect(UTType(filenameExtension: "a\0b") == nil)
        #expect(UTType(mimeType: "") == nil)
        #expect(UTType(filenameExtension: String(repeating: "x", count: 256)) == nil)
    }
}

/// The same numbers in every run.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

@Suite struct DynamicTypeTests {
    // spec: P-065
    @Test(arguments: [("dyn.ah62d4rv4ge8043a", "md"), ("dyn.ah62d4rv4ge80c6dp", "apk")])
    func readsNamesAsOtherSystemsWriteThem(_ identifier: String, _ filenameExtension: String) throws {
        let type = try #require(UTType(identifier))
        #expect(type.isDynamic && !type.isDeclared)
        #expect(type.conforms(to: .data))
        #expect(type.preferredFilenameExtension == filenameExtension)
        #expect(
            DynamicType(supertype: "public.data", tagClass: .filenameExtension, tag: filenameExtension).identifier
                == identifier)
    }

    // spec: P-065
    @Test(arguments: ["xyz", "a:b", "a=b", #"a\b"#, "naïve", "日本", "7", "?", "c,d"])
    func saysWhatItWasMadeFrom(_ tag: String) throws {
        for tagClass in [UTTagClass.filenameExtension, .mimeType, UTTagClass(rawValue: "org.example:tag=class")] {
            for supertype in [UTType.data, .text, .movie, UTType(exportedAs: "Org.Example.Box"), nil] {
                let made = try #require(UTType(tag: tag, tagClass: tagClass, conformingTo: supertype))
                #expect(made.isDynamic)
                let read = try #require(UTType(made.identifier.uppercased()))
                #expect(read == made)
                #expect(read.tags == [tagClass: [tag]])
                if let supertype { #expect(read.conforms(to: supertype)) }
                #expect(read.conforms(to: .text) == (supertype == .text))
            }
        }
    }

    @Test func theSameTagInAnyCaseIsTheSameType() {
        #expect(UTType(filenameExtension: "XYZ") == UTType(filenameExtension: "xyz"))
    }

    @Test func conformsWithoutAnIndexEntryAlsoAsAString() throws {
        let made = try #require(UTType(filenameExtension: "xyz", conformingTo: .image))
        #expect(UTType.identifier(made.identifier, conformsTo: "public.image"))
        #expect(UTType.identifier(made.identifier, conformsTo: "public.data"))
        #expect(!UTType.identifier(made.identifier, conformsTo: "public.text"))
    }

    @Test func changedNamesNeverTrap() throws {
        var generator = SeededGenerator(state: 1)
        let letters = Array("abcdefghkmnpqrstuvwxyz0123456789!\u{0}é")
        let name = Array(try #require(UTType(filenameExtension: "xyz", conformingTo: .movie)).identifier)
        for _ in 0..<2000 {
            var changed = name
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                changed[Int.random(in: 4..<changed.count, using: &generator)] =
                    letters.randomElement(using: &generator) ?? "a"
            }
            if let type = UTType(String(changed)) { #expect(type.supertypes.count < 100) }
        }
        #expect(UTType("dyn.a" + String(repeating: "h", count: 100_000)) == nil)
    }
}
