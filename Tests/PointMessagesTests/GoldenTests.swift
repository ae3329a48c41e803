// GoldenTests: the encoding of every message of the vocabularies is that of the golden files, byte by byte.

import ExtensionPointKit
import ExtensionPoints
import Foundation
import PropertyListCoding
import Testing

/// `EXTHOST_RENEW_GOLDEN=1` writes the files anew. Two versions of a program may talk to each other, so a file changes
/// only if a message got an optional property; otherwise the message needs another name.
@Suite struct GoldenTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let golden = tests.appendingPathComponent("Golden")
    private static let sources = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources")
    private static let isRenewing = ProcessInfo.processInfo.environment["EXTHOST_RENEW_GOLDEN"] != nil

    /// The examples of all vocabularies.
    private func allExamples() throws -> [MessageExamples] {
        try pointExamples() + fileServiceExamples() + safariExamples() + spotlightExamples() + transferExamples()
            + networkServiceExamples() + callServiceExamples() + credentialServiceExamples()
    }

    /// The examples of the calls of extension points.
    private func pointExamples() throws -> [MessageExamples] {
        try examples() + fileExamples() + fileProviderExamples() + audioExamples() + flowExamples()
            + networkExamples() + messageFilterExamples() + classificationExamples() + intentExamples()
            + intentViewExamples() + callDirectoryExamples()
            + quickLookExamples() + credentialExamples() + broadcastExamples() + payloadExamples()
    }

    private func names(in folder: URL, _ ending: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(ending) }.sorted()
    }

    @Test func eachEncodingIsThatOfItsFile() throws {
        let examples = try allExamples().flatMap(\.all)
        if Self.isRenewing {
            try? FileManager.default.removeItem(at: Self.golden)
            try FileManager.default.createDirectory(at: Self.golden, withIntermediateDirectories: false)
        }
        for example in examples {
            let file = Self.golden.appendingPathComponent(example.name + ".plist")
            let bytes = try example.encoded().plist.encodeBinary()
            if Self.isRenewing { try Data(bytes).write(to: file) }
            let stored = [UInt8](try Data(contentsOf: file))
            #expect(bytes == stored, "\(example.name): its encoding has changed")
        }
        #expect(Set(try names(in: Self.golden, ".plist")) == Set(examples.map { $0.name + ".plist" }))
    }

    @Test func eachFileIsReadAsItsValue() throws {
        for example in try allExamples().flatMap(\.all) {
            let data = try Data(contentsOf: Self.golden.appendingPathComponent(example.name + ".plist"))
            let plist = try PropertyList(binary: [UInt8](data), limits: .payload)
            let encoded = try example.encoded()
            let value = try example.decoded(EncodedValue(plist: plist, descriptors: encoded.descriptors))
            var (read, wanted) = ("", "")
            dump(value, to: &read)
            dump(example.value, to: &wanted)
            #expect(read == wanted, "\(example.name)")
            // And it is not the same for every value: a key that is not read would be lost here.
            #expect(try PointEncoder.encode(value).plist == plist, "\(example.name)")
        }
    }

    /// A property list without one of its keys is read only if the key's value is optional: an older side lacks no other.
    @Test func onlyOptionalPropertiesMayBeAbsent() throws {
        for example in try allExamples().flatMap(\.all) where example.variant != "full" {
            let encoded = try example.encoded()
            for key in encoded.plist.dictionary?.keys ?? [] {
                var members = try #require(encoded.plist.dictionary)
                members[key] = nil
                let less = EncodedValue(plist: .dictionary(members), descriptors: encoded.descriptors)
                #expect(throws: DecodingError.self, "\(example.name) without \(key)") { try example.decoded(less) }
            }
        }
    }

    // MARK: Completeness

    /// A message is listed where its vocabulary is, in the sources, and in the property lists of the points with a
    /// framework; all three have the same.
    @Test func everyMessageHasExamples() throws {
        let listed = try pointExamples().map(\.type)
        let points = PointTable().points.filter { $0.framework != nil }
        #expect(points.count > 1)
        // The entries of streams are calls of the kits.
        let travelling = points.flatMap { $0.messages.accepts + $0.messages.sends }.filter { $0 != "stream.entries" }
        // The points of proxies have no framework.
        let proxies = listed.map { $0.name }.filter { $0.hasPrefix("proxy.") }
        #expect(Set(listed.map { $0.name }) == Set(travelling).union(proxies))
        #expect(listed.count == Set(listed.map { $0.name }).count)
        // The calls of a service are no calls of a point.
        #expect(
            try declared(in: "PointMessages")
                == Set(
                    (listed
                        + (fileServiceExamples() + safariExamples() + spotlightExamples() + networkServiceExamples()
                        + callServiceExamples() + credentialServiceExamples())
                        .map(\.type)).map {
                            "\($0)"
                        }))
        #expect(try declared(in: "TransferMessages") == Set(transferExamples().map { "\($0.type)" }))
    }

    /// The names of the messages in the sources of a target.
    private func declared(in target: String) throws -> Set<String> {
        let sources = Self.sources.appendingPathComponent(target)
        var declared: Set<String> = []
        for file in try names(in: sources, ".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
            for match in text.matches(of: /struct (\w+)[^{]*:[^{]*\bPointMessage\b/) { declared.insert("\(match.1)") }
        }
        return declared
    }

    /// `full` has every optional property, also of values within it, and `bare` has none. A type that has got an
    /// optional property needs both.
    @Test func theExamplesHaveAllOptionalPropertiesOrNone() throws {
        for message in try allExamples() {
            for kind in [Example.Kind.call, .reply, .part] {
                let examples = message.all.filter { $0.kind == kind }
                if kind == .part, examples.isEmpty { continue }
                let optionals = examples.map { (example: $0, found: Optionals(in: $0.value)) }
                #expect(!examples.isEmpty)
                if optionals.contains(where: { $0.found.present + $0.found.absent > 0 }) {
                    #expect(examples.map(\.variant).sorted() == ["bare", "full"], "\(message.type) \(kind)")
                }
                for (example, found) in optionals {
                    if example.variant == "full" { #expect(found.absent == 0 && found.present > 0, "\(example.name)") }
                    if example.variant == "bare" { #expect(found.present == 0 && found.absent > 0, "\(example.name)") }
                }
            }
        }
    }
}

/// The numbers of optional properties of a value and of those within it.
private struct Optionals {
    private(set) var present = 0
    private(set) var absent = 0

    init(in value: Any) { count(value) }

    private mutating func count(_ value: Any) {
        // The contents of these have no properties of a vocabulary.
        if value is PointFile || value is PointValue { return }
        for child in Mirror(reflecting: value).children {
            let mirror = Mirror(reflecting: child.value)
            if mirror.displayStyle == .optional {
                if mirror.children.isEmpty { absent += 1 } else { present += 1 }
            }
            count(child.value)
        }
    }
}
