// LocalizedText: String(localized:), which reads the strings files of the bundle.

public import Foundation

extension String {
    /// A key with values: `"\(count) links"` is the key `%lld links`.
    public struct LocalizationValue: ExpressibleByStringInterpolation, Sendable, Equatable {
        let key: String
        let values: [Value]

        enum Value: Sendable, Equatable {
            case text(String)
            case integer(Int64)
            case number(Double)

            var argument: any CVarArg {
                switch self {
                case .text(let text): text
                case .integer(let number): number
                case .number(let number): number
                }
            }
        }

        /// Makes a key without values.
        public init(_ value: String) { (key, values) = (value, []) }
        public init(stringLiteral value: String) { (key, values) = (value, []) }
        public init(stringInterpolation: StringInterpolation) {
            (key, values) = (stringInterpolation.key, stringInterpolation.values)
        }

        public struct StringInterpolation: StringInterpolationProtocol {
            fileprivate var key = ""
            fileprivate var values: [Value] = []

            public init(literalCapacity: Int, interpolationCount: Int) {}

            /// Appends text; a percent sign of the text is not part of the format.
            public mutating func appendLiteral(_ literal: String) { key += literal.replacing("%", with: "%%") }

            /// Appends `%@`.
            public mutating func appendInterpolation(_ text: String) { append("%@", .text(text)) }
            /// Appends `%lld`.
            public mutating func appendInterpolation(_ number: some BinaryInteger) {
                append("%lld", .integer(Int64(clamping: number)))
            }
            /// Appends `%lf`.
            public mutating func appendInterpolation(_ number: some BinaryFloatingPoint) {
                append("%lf", .number(Double(number)))
            }
            /// Appends `%@` for the description of the value.
            @_disfavoredOverload public mutating func appendInterpolation(_ value: Any) {
                append("%@", .text("\(value)"))
            }

            private mutating func append(_ specifier: String, _ value: Value) {
                key += specifier
                values.append(value)
            }
        }
    }

    /// Makes the text for a key in a strings file of the bundle, with the values inserted; the key itself if there is
    /// none.
    ///
    /// `table` names the strings file, nil is `Localizable`; a `bundle` of nil is the main one.
    public init(
        localized key: LocalizationValue, table: String? = nil, bundle: Bundle? = nil, locale: Locale = .current,
        comment: StaticString? = nil
    ) {
        let format = (bundle ?? .main).localizedString(forKey: key.key, value: nil, table: table)
        self =
            key.values.isEmpty ? format : String(format: format, locale: locale, arguments: key.values.map(\.argument))
    }
}
