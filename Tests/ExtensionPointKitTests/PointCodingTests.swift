// PointCodingTests: arguments and replies survive their coding, and foreign property lists do no harm.

import ExtensionPointKit
import Foundation
import LinuxDescriptors
import PropertyListCoding
import Testing

/// A value with everything that vocabularies use.
private struct Sample: Codable, Sendable, Equatable {
    enum Mode: String, Codable, Sendable, CaseIterable { case compact, expanded }
    enum Choice: Codable, Sendable, Equatable {
        case none
        case text(String)
        case size(width: Double, height: Double)
    }
    struct Inner: Codable, Sendable, Equatable {
        var name: String
        var inner: [Inner]
    }

    var flag: Bool
    var small: Int8
    var whole: Int
    var large: UInt64
    var real: Double
    var single: Float
    var text: String
    var bytes: [UInt8]
    var mode: Mode
    var choice: Choice
    var absent: Int?
    var present: String?
    var list: [[Int]]
    var table: [String: Inner]

    static func random(_ random: inout some RandomNumberGenerator) -> Sample {
        func text(_ random: inout some RandomNumberGenerator) -> String {
            String(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in "aß日 \0\u{301}🙂".randomElement(using: &random)!
                })
        }
        func inner(_ depth: Int, _ random: inout some RandomNumberGenerator) -> Inner {
            let count = depth == 0 ? 0 : Int.random(in: 0...2, using: &random)
            return Inner(name: text(&random), inner: (0..<count).map { _ in inner(depth - 1, &random) })
        }
        let choices: [Choice] = [
            .none, .text(text(&random)), .size(width: .random(in: -1e9...1e9, using: &random), height: 0),
        ]
        return Sample(
            flag: .random(using: &random), small: .random(in: .min ... .max, using: &random),
            whole: .random(in: .min ... .max, using: &random),
            large: .random(in: 0...UInt64(Int64.max), using: &random),
            real: .random(in: -1e300...1e300, using: &random), single: .random(in: -1...1, using: &random),
            text: text(&random),
            bytes: (0..<Int.random(in: 0...40, using: &random)).map { _ in .random(in: 0...255, using: &random) },
            mode: Mode.allCases.randomElement(using: &random)!, choice: choices.randomElement(using: &random)!,
            absent: nil, present: Bool.random(using: &random) ? text(&random) : nil,
            list: (0..<Int.random(in: 0...3, using: &random)).map { Array(0..<$0) },
            table: ["": inner(2, &random), "k" + text(&random): inner(3, &random)])
    }
}

/// A generator that gives the same numbers for a seed (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite struct PointCodingTests {
    @Test(arguments: 0..<200) func aValueSurvivesItsCoding(seed: Int) throws {
        var random = Seeded(state: UInt64(seed))
        let value = Sample.random(&random)
        let encoded = try PointEncoder.encode(value)
        #expect(try PointDecoder.decode(Sample.self, from: encoded) == value)
        // And the way through a packet.
        let bytes = try encoded.plist.encodeBinary()
        let read = EncodedValue(plist: try PropertyList(binary: bytes, limits: .payload))
        #expect(try PointDecoder.decode(Sample.self, from: read) == value)
    }

    @Test func theFormIsThatOfThePage() throws {
        struct Message: Codable {
            var text = "a"
            var absent: Int?
            var bytes: [UInt8] = [1, 2]
            var list = [1, 2]
        }
        let encoded = try PointEncoder.encode(Message())
        #expect(encoded.plist == ["text": "a", "bytes": .data([1, 2]), "list": [1, 2]])
        #expect(try PointEncoder.encode(Nothing()).plist == [:])
    }

    @Test func anIntegerServesAsANumber() throws {
        struct Message: Codable { var real: Double }
        let decoded = try PointDecoder.decode(Message.self, from: EncodedValue(plist: ["real": 3]))
        #expect(decoded.real == 3)
    }

    @Test func anUnknownValueOfAnOpenEnumerationLeavesTheRestOfItsMessage() throws {
        enum Colour: String, OpenEnumeration, CaseIterable { case red, green, unrecognized }
        struct Message: Codable, Equatable {
            var colour: Colour
            var others: [Colour]
            var last: Colour?
            var text: String
        }
        for colour in Colour.allCases {
            let message = Message(colour: colour, others: Colour.allCases, last: colour, text: "a")
            let encoded = try PointEncoder.encode(message)
            #expect(encoded.plist.dictionary?["colour"] == .string(colour.rawValue))
            #expect(try PointDecoder.decode(Message.self, from: encoded) == message)
        }
        let later: PropertyList = ["colour": "blue", "others": ["red", "pink", ""], "last": "blue", "text": "a"]
        #expect(
            try PointDecoder.decode(Message.self, from: EncodedValue(plist: later))
                == Message(
                    colour: .unrecognized, others: [.red, .unrecognized, .unrecognized], last: .unrecognized, text: "a")
        )
        // A value that is no text is still a fault.
        #expect(throws: DecodingError.self) {
            try PointDecoder.decode(Message.self, from: EncodedValue(plist: ["colour": 1, "others": [], "text": "a"]))
        }
    }

    @Test func filesTravelBesideTheValue() throws {
        struct Message: Codable {
            var first: PointFile
            var others: [PointFile]
        }
        let files = try (0..<3).map { _ in try PointFile(readingAt: "/etc/passwd") }
        let encoded = try PointEncoder.encode(Message(first: files[0], others: [files[1], files[2]]))
        #expect(encoded.descriptors.map(\.raw) == files.map(\.descriptor.raw))
        let decoded = try PointDecoder.decode(Message.self, from: encoded)
        #expect(decoded.first.descriptor.raw == files[0].descriptor.raw)
        #expect(decoded.others.map(\.descriptor.raw) == [files[1].descriptor.raw, files[2].descriptor.raw])
        var fewer = encoded
        fewer.descriptors.removeLast()
        #expect(throws: DecodingError.self) { try PointDecoder.decode(Message.self, from: fewer) }
        // A device, or a file that its sender could change.
        var strange = encoded
        strange.descriptors[0] = try PointFile(readingAt: "/dev/null").descriptor
        #expect(throws: DecodingError.self) { try PointDecoder.decode(Message.self, from: strange) }
        // A place that its sender may not be able to read.
        strange.descriptors[0] = SharedDescriptor(OwnedDescriptor(owning: open("/etc/passwd", 0o10000000)))
        #expect(throws: DecodingError.self) { try PointDecoder.decode(Message.self, from: strange) }
    }

    @Test func aValueThatNoPropertyListHasIsRefused() {
        struct Message: Codable { var large = UInt64.max }
        #expect(throws: EncodingError.self) { try PointEncoder.encode(Message()) }
    }

    @Test(
        arguments: [
            ["small": 1000], ["small": -129], ["flag": 1], ["mode": "wide"], ["text": 7], ["list": [["a"]]],
            ["bytes": "x"],
            ["table": ["": ["name": "x"]]],
        ] as [PropertyList])
    func anErrorNamesThePlace(wrong: PropertyList) throws {
        var random = Seeded(state: 1)
        var members = try PointEncoder.encode(Sample.random(&random)).plist.dictionary!
        let key = wrong.dictionary!.keys.first!
        members[key] = wrong.dictionary![key]
        let error = #expect(throws: DecodingError.self) {
            try PointDecoder.decode(Sample.self, from: EncodedValue(plist: .dictionary(members)))
        }
        #expect("\(try #require(error))".contains(key))
    }

    @Test(arguments: 0..<300) func aForeignPropertyListIsReadOrRefused(seed: Int) throws {
        var random = Seeded(state: UInt64(seed) &+ 1 << 32)
        var plist = try PointEncoder.encode(Sample.random(&random)).plist
        for _ in 0..<Int.random(in: 1...4, using: &random) { plist = mutated(plist, &random) }
        _ = try? PointDecoder.decode(Sample.self, from: EncodedValue(plist: plist))
    }

    /// Replaces one part of a property list by another value.
    private func mutated(_ plist: PropertyList, _ random: inout Seeded) -> PropertyList {
        let others: [PropertyList] = [
            .boolean(true), .integer(.min), .integer(.max), .real(.nan), .date(0), .string(""), .data([]), .array([]),
            .dictionary([:]),
        ]
        switch plist {
        case .dictionary(let members) where !members.isEmpty && Int.random(in: 0...4, using: &random) > 0:
            var changed = members
            let key = members.keys.sorted().randomElement(using: &random)!
            changed[key] = Bool.random(using: &random) ? mutated(members[key]!, &random) : nil
            return .dictionary(changed)
        case .array(var elements) where !elements.isEmpty && Int.random(in: 0...4, using: &random) > 0:
            let place = elements.indices.randomElement(using: &random)!
            elements[place] = mutated(elements[place], &random)
            return .array(elements)
        default: return others.randomElement(using: &random)!
        }
    }
}
