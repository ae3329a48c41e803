// ModelDescription: the inputs and outputs that an .mlmodel file declares.

import Foundation
import LinuxSystem

/// The description of a Core ML model: a message of Protocol Buffers near the start of the file.
///
/// The numbers of fields are those of Apple's open `Model.proto` and `FeatureTypes.proto` (coremltools).
struct ModelDescription: Hashable {
    /// The kinds of values for which Swift has a type.
    enum Kind: Hashable {
        case int64, double, string, image, multiArray, texts, integers
    }

    struct Feature: Hashable {
        let name: String
        let kind: Kind
        let isOptional: Bool
    }

    private(set) var inputs: [Feature] = []
    private(set) var outputs: [Feature] = []

    /// The bytes of a file that are read: the description comes before the numbers of the model.
    static let readLimit = 1 << 20
    private static let featuresLimit = 1000

    /// Reads the description. Returns nil if there is none, or a feature has an unknown type or a name that is
    /// not a valid Swift identifier.
    init?(_ path: String) {
        var status = stat()
        guard let file = try? openForReading(path), fstat(file.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let bytes = try? [UInt8](
                unsafeUninitializedCapacity: min(Int(status.st_size), Self.readLimit),
                initializingWith: { memory, count in
                    count = try readFile(file.raw, into: UnsafeMutableRawBufferPointer(memory))
                })
        else { return nil }
        self.init(bytes[...])
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        var model = MessageFields(bytes)
        while let field = model.next() {
            guard field.number == 2 else { continue }
            var description = MessageFields(field.bytes)
            while let field = description.next() {
                guard field.number == 1 || field.number == 10 else { continue }
                guard let feature = Feature(field.bytes), inputs.count + outputs.count < Self.featuresLimit else {
                    return nil
                }
                if field.number == 1 { inputs.append(feature) } else { outputs.append(feature) }
            }
            guard description.isWhole, !outputs.isEmpty, Self.areDistinct(inputs), Self.areDistinct(outputs) else {
                return nil
            }
            return
        }
        return nil
    }

    private static func areDistinct(_ features: [Feature]) -> Bool {
        Set(features.map(\.identifier)).count == features.count
    }
}

extension ModelDescription.Feature {
    /// Reads a `FeatureDescription`.
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        var (name, kind, isOptional): (String, ModelDescription.Kind?, Bool) = ("", nil, false)
        var fields = MessageFields(bytes)
        while let field = fields.next() {
            switch field.number {
            case 1: name = String(decoding: field.bytes, as: UTF8.self)
            case 3:
                var type = MessageFields(field.bytes)
                while let field = type.next() {
                    switch field.number {
                    case 1: kind = .int64
                    case 2: kind = .double
                    case 3: kind = .string
                    case 4: kind = .image
                    case 5: kind = .multiArray
                    case 6:
                        var keys = MessageFields(field.bytes)
                        kind = .texts
                        while let key = keys.next() { kind = key.number == 1 ? .integers : .texts }
                        guard keys.isWhole else { return nil }
                    case 1000: isOptional = field.value != 0
                    default: return nil
                    }
                }
                guard type.isWhole else { return nil }
            default: continue
            }
        }
        guard fields.isWhole, let kind else { return nil }
        self.init(name: name, kind: kind, isOptional: isOptional)
        let isName: Bool = identifier.hasPrefix("_") ? identifier.count > 1 : IntentNames.isValid(identifier)
        guard isName, name.utf8.count <= IntentNames.limit, !name.utf8.contains(where: Self.isUnsafe),
            !["featureNames", "_features"].contains(identifier), !TargetModels.used.contains(identifier)
        else { return nil }
    }

    /// Whether a byte cannot be in a literal as it is. Characters would hide a quotation mark with an accent.
    private static func isUnsafe(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x5C || byte < 0x20 || byte == 0x7F }

    /// The name as Swift's: `conv_1` for `conv-1`, `_148` for `148`.
    var identifier: String {
        BuildSettings.spelled(name.first?.isNumber == true ? "_" + name : name, with: "_")
    }
}

/// The fields of a message of Protocol Buffers, one after the other. Damaged bytes end them.
struct MessageFields {
    struct Field {
        let number: Int
        /// The number of a field that is one; else 0.
        var value: UInt64 = 0
        /// The contents of a field that has a length; else empty.
        var bytes: ArraySlice<UInt8> = []
    }

    private var rest: ArraySlice<UInt8>
    private var isDamaged = false

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Whether all fields were read.
    var isWhole: Bool { rest.isEmpty && !isDamaged }

    mutating func next() -> Field? {
        guard !isDamaged, !rest.isEmpty, let key = number(), let number = Int(exactly: key >> 3) else { return nil }
        switch key & 7 {
        case 0: if let value = self.number() { return Field(number: number, value: value) }
        case 1: if take(8) != nil { return Field(number: number) }
        case 2:
            if let length = self.number().flatMap({ Int(exactly: $0) }), let bytes = take(length) {
                return Field(number: number, bytes: bytes)
            }
        case 5: if take(4) != nil { return Field(number: number) }
        default: break
        }
        isDamaged = true
        return nil
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Reads a number of variable length.
    private mutating func number() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = rest.popFirst() else { break }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        isDamaged = true
        return nil
    }
}
