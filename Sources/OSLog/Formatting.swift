// Formatting: the formats of values in messages.

import Foundation

/// The padding beside a value.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isRight: Bool

    public static let none = OSLogStringAlignment(columns: 0, isRight: false)
    public static func left(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: false)
    }
    public static func right(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: true)
    }

    func apply(_ text: String) -> String {
        let blanks = String(repeating: " ", count: max(0, columns - text.count))
        return isRight ? blanks + text : text + blanks
    }
}

/// The base of an integer.
public struct OSLogIntegerFormatting: Sendable {
    private let radix: Int
    private let prefix: String
    private let isUppercase: Bool

    public static let decimal = OSLogIntegerFormatting(radix: 10, prefix: "", isUppercase: false)
    public static let hex = OSLogIntegerFormatting(radix: 16, prefix: "", isUppercase: false)
    public static let octal = OSLogIntegerFormatting(radix: 8, prefix: "", isUppercase: false)
    public static func hex(includePrefix: Bool = false, uppercase: Bool = false) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(radix: 16, prefix: includePrefix ? "0x" : "", isUppercase: uppercase)
    }
    public static func octal(includePrefix: Bool = false) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(radix: 8, prefix: includePrefix ? "0" : "", isUppercase: false)
    }

    func apply(_ value: some BinaryInteger) -> String { prefix + String(value, radix: radix, uppercase: isUppercase) }
}

/// The number of digits after the point.
public struct OSLogFloatFormatting: Sendable {
    private let format: String

    public static let fixed = OSLogFloatFormatting(format: "%f")
    public static let exponential = OSLogFloatFormatting(format: "%e")
    public static let hybrid = OSLogFloatFormatting(format: "%g")
    public static func fixed(precision: Int) -> OSLogFloatFormatting { OSLogFloatFormatting(format: "%.\(precision)f") }
    public static func exponential(precision: Int) -> OSLogFloatFormatting {
        OSLogFloatFormatting(format: "%.\(precision)e")
    }

    func apply(_ value: some BinaryFloatingPoint) -> String { String(format: format, Double(value)) }
}
