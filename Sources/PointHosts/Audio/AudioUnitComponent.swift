// AudioUnitComponent: an audio unit that an extension offers, as its Info.plist declares it.

public import PointMessages
import PropertyListCoding

/// A component: one entry of an extension's `AudioComponents`.
public struct AudioUnitComponent: Sendable, Hashable {
    /// The kind of a unit, by its type code.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A unit that changes sound.
        case effect = "aufx"
        /// A unit that plays MIDI.
        case instrument = "aumu"
        /// A unit that changes sound, and receives MIDI.
        case musicEffect = "aumf"
        /// A unit that makes sound by itself.
        case generator = "augn"
        /// A unit that changes MIDI.
        case midiProcessor = "aumi"
    }

    /// The extension's identifier.
    public let identifier: String
    /// Whether the extension has a view.
    public let hasView: Bool
    /// The codes of the type, the subtype and the manufacturer.
    public let description: AudioDescription
    /// The name, such as `Maker: Name`.
    public let name: String
    /// The number of the version.
    public let version: Int
    /// The tags, such as `Effects`.
    public let tags: [String]
    /// Whether the component says that it needs nothing outside of its sandbox.
    public let isSandboxSafe: Bool
    /// Whether the extension names a bundle to load into the host's process (`AudioComponentBundle`).
    public let namesBundle: Bool

    /// The kind; nil for a type code without a meaning here.
    public var kind: Kind? { Kind(rawValue: description.codes.type) }

    /// Reads the entries of an extension's attributes, at most 64. An entry without three codes of four characters is
    /// left out.
    static func all(
        _ attributes: PropertyListDictionary, of identifier: String, hasView: Bool
    ) -> [AudioUnitComponent] {
        (attributes["AudioComponents"]?.array ?? []).prefix(64).compactMap { entry in
            guard let entry = entry.dictionary, let description = AudioDescription(entry) else { return nil }
            return AudioUnitComponent(
                identifier: identifier, hasView: hasView, description: description,
                name: entry["name"]?.string ?? identifier, version: entry["version"]?.integer.map { Int($0) } ?? 0,
                tags: (entry["tags"]?.array ?? []).prefix(64).compactMap(\.string),
                isSandboxSafe: entry["sandboxSafe"]?.boolean ?? false,
                namesBundle: attributes["AudioComponentBundle"] != nil)
        }
    }
}

extension AudioDescription {
    /// Reads the codes `type`, `subtype` and `manufacturer`; nil unless each has four ASCII characters.
    init?(_ entry: PropertyListDictionary) {
        let codes = ["type", "subtype", "manufacturer"].compactMap { entry[$0]?.string.flatMap(Self.number) }
        guard codes.count == 3 else { return nil }
        self.init(type: codes[0], subtype: codes[1], manufacturer: codes[2])
    }

    private static func number(_ code: String) -> Int? {
        let bytes = Array(code.utf8)
        guard bytes.count == 4, bytes.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    private static func text(_ number: Int) -> String {
        String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }, as: UTF8.self)
    }

    /// The codes as texts.
    public var codes: (type: String, subtype: String, manufacturer: String) {
        (Self.text(type), Self.text(subtype), Self.text(manufacturer))
    }
}
