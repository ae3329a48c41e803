// MLFeatureValue: an input or an output of a model.

@_exported public import CoreVideo
@_exported public import Foundation

/// The kinds of a value.
public enum MLFeatureType: Int, Sendable {
    case invalid = 0, int64, double, string, image, multiArray, dictionary, sequence
}

/// An input or an output of a model.
open class MLFeatureValue: NSObject, @unchecked Sendable {  // constant
    private enum Kind {
        case none, integer(Int64), number(Double), text(String), array(MLMultiArray), image(CVPixelBuffer)
        case weights([AnyHashable: NSNumber])
    }

    public let type: MLFeatureType
    private let kind: Kind

    private init(_ type: MLFeatureType, _ kind: Kind) { (self.type, self.kind) = (type, kind) }
    public convenience init(int64 value: Int64) { self.init(.int64, .integer(value)) }
    public convenience init(double value: Double) { self.init(.double, .number(value)) }
    public convenience init(string value: String) { self.init(.string, .text(value)) }
    public convenience init(multiArray value: MLMultiArray) { self.init(.multiArray, .array(value)) }
    public convenience init(pixelBuffer value: CVPixelBuffer) { self.init(.image, .image(value)) }
    /// Makes a missing value.
    public convenience init(undefined type: MLFeatureType) { self.init(type, .none) }

    /// Makes a value of weights.
    ///
    /// - Parameter value: the weights by texts or by integers.
    /// - Throws: `MLModelError.featureType` for keys of other kinds, or of both.
    public convenience init(dictionary value: [AnyHashable: NSNumber]) throws {
        let texts = value.keys.count { $0 is String }
        // Generated classes look for integers as Int64.
        let numbers = value.reduce(into: [AnyHashable: NSNumber]()) { all, entry in
            let key = entry.key.base
            let number = (key as? any BinaryInteger).flatMap { Int64(exactly: $0) } ?? (key as? NSNumber)?.int64Value
            if let number, !(key is String) { all[number] = entry.value }
        }
        guard texts == value.count || numbers.count == value.count else {
            throw MLModelError(.featureType, "the keys of a dictionary are texts, or they are integers")
        }
        self.init(.dictionary, .weights(texts == value.count ? value : numbers))
    }

    open var isUndefined: Bool { if case .none = kind { true } else { false } }
    /// The integer; 0 for another kind.
    open var int64Value: Int64 { if case .integer(let value) = kind { value } else { 0 } }
    /// The number; 0 for another kind.
    open var doubleValue: Double { if case .number(let value) = kind { value } else { 0 } }
    /// The text; empty for another kind.
    open var stringValue: String { if case .text(let value) = kind { value } else { "" } }
    open var multiArrayValue: MLMultiArray? { if case .array(let value) = kind { value } else { nil } }
    open var imageBufferValue: CVPixelBuffer? { if case .image(let value) = kind { value } else { nil } }
    /// The weights; empty for another kind.
    open var dictionaryValue: [AnyHashable: NSNumber] { if case .weights(let value) = kind { value } else { [:] } }

    /// Makes a value of weights, for generated classes.
    public convenience init<Key: Hashable>(_weights value: [Key: Double]) {
        self.init(.dictionary, .weights(value.reduce(into: [:]) { $0[$1.key] = NSNumber(value: $1.value) }))
    }

    /// Returns the weights with keys of one kind, for generated classes.
    public func _weights<Key: Hashable>() -> [Key: Double] {
        dictionaryValue.reduce(into: [:]) { all, entry in
            if let key = entry.key.base as? Key { all[key] = entry.value.doubleValue }
        }
    }
}

/// Values by their names.
public protocol MLFeatureProvider: AnyObject {
    var featureNames: Set<String> { get }
    func featureValue(for featureName: String) -> MLFeatureValue?
}

/// Values in a dictionary.
open class MLDictionaryFeatureProvider: NSObject, MLFeatureProvider, @unchecked Sendable {  // constant
    public let dictionary: [String: MLFeatureValue]

    /// - Parameter dictionary: values, texts, numbers, arrays, images, or dictionaries of weights.
    /// - Throws: `MLModelError.featureType` for another value.
    public init(dictionary: [String: Any]) throws {
        self.dictionary = try dictionary.mapValues { value in
            switch value {
            case let value as MLFeatureValue: value
            case let value as String: MLFeatureValue(string: value)
            case let value as Int: MLFeatureValue(int64: Int64(value))
            case let value as Int64: MLFeatureValue(int64: value)
            case let value as NSNumber: MLFeatureValue(double: value.doubleValue)
            case let value as MLMultiArray: MLFeatureValue(multiArray: value)
            case let value as CVPixelBuffer: MLFeatureValue(pixelBuffer: value)
            case let value as [AnyHashable: NSNumber]: try MLFeatureValue(dictionary: value)
            case let value as [AnyHashable: Double]:
                try MLFeatureValue(dictionary: value.mapValues { NSNumber(value: $0) })
            default: throw MLModelError(.featureType, "a model takes no \(Swift.type(of: value))")
            }
        }
    }

    open var featureNames: Set<String> { Set(dictionary.keys) }
    open func featureValue(for featureName: String) -> MLFeatureValue? { dictionary[featureName] }
    open subscript(featureName: String) -> MLFeatureValue? { dictionary[featureName] }
}
