// TypeTests: what one UTType value says and how it compares and travels.

import Foundation
import Testing

@testable import UniformTypeIdentifiers

@Suite struct TypeTests {
    @Test func constantsAreDeclaredTypes() {
        #expect(UTType.url.identifier == "public.url")
        #expect(UTType.jpeg.identifier == "public.jpeg")
        #expect(UTType.propertyList.identifier == "com.apple.property-list")
        #expect(UTType.applicationExtension.identifier == "com.apple.application-and-system-extension")
        for type in [UTType.item, .data, .fileURL, .png, .pdf, .html, .zip, .mp3, .vCard, .appleArchive, .toDoItem] {
            #expect(type.isDeclared && !type.isDynamic)
            #expect(UTType(type.identifier) == type)
        }
    }

    @Test func identifiersCompareWithoutCase() {
        #expect(UTType("PUBLIC.Jpeg") == .jpeg)
        #expect(UTType("PUBLIC.Jpeg")?.identifier == "public.jpeg")
        let one = UTType(exportedAs: "Org.Example.Note")
        let other = UTType(exportedAs: "org.example.note")
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(one.identifier == "Org.Example.Note")
    }

    @Test(arguments: ["", "org.example.unknown", "dyn.", "dyn.a", "dyn.zzz", "dyn.a!", "dyn.ah", "public"])
    func anUndeclaredIdentifierIsNoType(_ identifier: String) {
        #expect(UTType(identifier) == nil)
    }

    @Test func describesItself() {
        #expect("\(UTType.jpeg)" == "public.jpeg")
        #expect(UTType.jpeg.localizedDescription == "JPEG image")
        #expect(UTType.jpeg.isPublic && !UTType.pdf.isPublic)
        #expect(UTType.jpeg.version == nil)
    }

    @Test func travelsAsItsIdentifier() throws {
        let types = [UTType.jpeg, UTType(exportedAs: "org.example.note")]
        let encoded = try JSONEncoder().encode(types)
        #expect(String(decoding: encoded, as: UTF8.self) == #"["public.jpeg","org.example.note"]"#)
        #expect(try JSONDecoder().decode([UTType].self, from: encoded) == types)
    }
}
