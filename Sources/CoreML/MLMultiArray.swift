// MLMultiArray: numbers in several dimensions, in one piece of memory.

public import Foundation

/// The kinds of a number.
public enum MLMultiArrayDataType: Int, Sendable {
    case int32 = 0x20020, float32 = 0x10020, double = 0x10040

    public static var float: MLMultiArrayDataType { .float32 }
    public static var float64: MLMultiArrayDataType { .double }

    fileprivate var size: Int { self == .double ? 8 : 4 }
}

/// Numbers in several dimensions. The last dimension is that of neighbours in memory.
///
/// As on Apple's systems, an index outside of the shape ends the process, and one thread at a time may change numbers.
open class MLMultiArray: NSObject, @unchecked Sendable {  // as Apple's: its user decides about threads
    public let dataType: MLMultiArrayDataType
    public let shape: [NSNumber]
    /// The distances of neighbours in each dimension, in numbers.
    public let strides: [NSNumber]
    public let count: Int
    /// The numbers.
    public let dataPointer: UnsafeMutableRawPointer

    private init(_ lengths: [Int], _ count: Int, _ dataType: MLMultiArrayDataType, _ memory: UnsafeMutableRawPointer) {
        var (strides, next): ([Int], Int) = ([], 1)
        for length in lengths.reversed() {
            strides.insert(next, at: 0)
            next *= length
        }
        shape = lengths.map { NSNumber(value: $0) }
        self.strides = strides.map { NSNumber(value: $0) }
        (self.count, self.dataType) = (count, dataType)
        dataPointer = memory
    }

    /// Makes an array without numbers.
    public convenience override init() { self.init([0], 0, .double, .init(calloc(1, 8)!)) }

    /// Makes an array of zeros.
    ///
    /// - Parameters:
    ///   - shape: the length of each dimension.
    ///   - dataType: the kind of the numbers.
    /// - Throws: `MLModelError.generic` for a shape without dimensions, with a negative length, or for over 2^28 numbers
    ///   (our bound), where a dimension without numbers counts as one.
    public convenience init(shape: [NSNumber], dataType: MLMultiArrayDataType) throws {
        let lengths = shape.map(\.intValue)
        let count = lengths.reduce(1 as Int?) { all, length in
            guard let all, length >= 0 else { return nil }
            let (product, isOver) = all.multipliedReportingOverflow(by: max(length, 1))
            return isOver || product > 1 << 28 ? nil : product
        }
        // calloc(3) gives zeros without touching the memory.
        guard let count, !lengths.isEmpty, let memory = calloc(count, dataType.size) else {
            throw MLModelError(.generic, "\(lengths) is not the shape of an array")
        }
        self.init(lengths, lengths.contains(0) ? 0 : count, dataType, memory)
    }

    /// Makes an array of one dimension.
    ///
    /// - Parameter data: the numbers.
    public convenience init(_ data: [Double]) throws {
        try self.init(shape: [NSNumber(value: data.count)], dataType: .double)
        for (index, number) in data.enumerated() { self[index] = NSNumber(value: number) }
    }

    deinit { free(dataPointer) }

    /// A number by its place in memory.
    open subscript(index: Int) -> NSNumber {
        get {
            precondition((0..<count).contains(index), "the array has \(count) numbers")
            return switch dataType {
            case .int32: NSNumber(value: dataPointer.load(fromByteOffset: index * 4, as: Int32.self))
            case .float32: NSNumber(value: dataPointer.load(fromByteOffset: index * 4, as: Float.self))
            case .double: NSNumber(value: dataPointer.load(fromByteOffset: index * 8, as: Double.self))
            }
        }
        set {
            precondition((0..<count).contains(index), "the array has \(count) numbers")
            switch dataType {
            case .int32: dataPointer.storeBytes(of: newValue.int32Value, toByteOffset: index * 4, as: Int32.self)
            case .float32: dataPointer.storeBytes(of: newValue.floatValue, toByteOffset: index * 4, as: Float.self)
            case .double: dataPointer.storeBytes(of: newValue.doubleValue, toByteOffset: index * 8, as: Double.self)
            }
        }
    }

    /// A number by its place in each dimension.
    open subscript(key: [NSNumber]) -> NSNumber {
        get { self[place(key)] }
        set { self[place(key)] = newValue }
    }

    private func place(_ key: [NSNumber]) -> Int {
        precondition(key.count == shape.count, "the array has \(shape.count) dimensions")
        var place = 0
        for (index, (length, stride)) in zip(key, zip(shape, strides)) {
            precondition((0..<length.intValue).contains(index.intValue), "\(key) is outside of \(shape)")
            place += index.intValue * stride.intValue
        }
        return place
    }
}
