// DateComponentsFormatter: durations in words, which Foundation has on Apple's systems only.

public import Foundation

/// A formatter of durations, such as `1h 20m` or `1:20:05`. Its words are English (ours).
///
/// Foundation on Linux refuses the name, so sources with it get this class. Phrases of remaining or approximate time,
/// fractions and contexts are kept only.
open class DateComponentsFormatter: Formatter, @unchecked Sendable {  // as Apple's, used on one thread at a time
    /// The styles: `1:10:00`, `1h 10m`, `1 hr, 10 min`, `1 hour, 10 minutes`, the same spelled out, and `1hr 10min`.
    public enum UnitsStyle: Int, Sendable {
        /// `1:10:00`.
        case positional
        /// `1h 10m`.
        case abbreviated
        /// `1 hr, 10 min`.
        case short
        /// `1 hour, 10 minutes`.
        case full
        /// `one hour, ten minutes`.
        case spellOut
        /// `1hr 10min`.
        case brief
    }

    /// The rules for units whose value is 0. `default` drops them, but positional keeps those after the first.
    public struct ZeroFormattingBehavior: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Makes a set of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Drops zeros as the style needs it.
        public static let `default` = ZeroFormattingBehavior(rawValue: 1)
        /// Drops zeros before the first other unit.
        public static let dropLeading = ZeroFormattingBehavior(rawValue: 1 << 1)
        /// Drops zeros between other units.
        public static let dropMiddle = ZeroFormattingBehavior(rawValue: 1 << 2)
        /// Drops zeros after the last other unit.
        public static let dropTrailing = ZeroFormattingBehavior(rawValue: 1 << 3)
        /// Drops all zeros.
        public static let dropAll: ZeroFormattingBehavior = [.dropLeading, .dropMiddle, .dropTrailing]
        /// Writes at least two digits in the positional style.
        public static let pad = ZeroFormattingBehavior(rawValue: 1 << 16)
    }

    /// The style of the words.
    open var unitsStyle = UnitsStyle.positional
    /// The units from years to seconds that may appear; empty for all of them.
    open var allowedUnits: NSCalendar.Unit = []
    /// The rules for zeros.
    open var zeroFormattingBehavior = ZeroFormattingBehavior.default
    /// The calendar by which a duration has days, months and years; the person's own if nil.
    open var calendar: Calendar? = .current
    /// The date at which a duration begins; the start of 2001 if nil.
    open var referenceDate: Date?
    /// The number of units at most, the largest first; 0 for any number.
    open var maximumUnitCount = 0
    /// The value is kept only.
    open var allowsFractionalUnits = false
    /// The value is kept only.
    open var collapsesLargestUnit = false
    /// The value is kept only.
    open var includesApproximationPhrase = false
    /// The value is kept only.
    open var includesTimeRemainingPhrase = false
    /// The value is kept only.
    open var formattingContext = Formatter.Context.unknown

    private struct Unit {
        let flag: NSCalendar.Unit
        let component: Calendar.Component
        /// The forms of the styles `abbreviated`, `brief`, `short` and `full`, of which the last two have a plural.
        let letter, brief, short, word: String
    }

    private static let units: [Unit] = [
        Unit(flag: .year, component: .year, letter: "y", brief: "yr", short: "yr", word: "year"),
        Unit(flag: .month, component: .month, letter: "mo", brief: "mo", short: "mth", word: "month"),
        Unit(flag: .weekOfMonth, component: .weekOfMonth, letter: "w", brief: "wk", short: "wk", word: "week"),
        Unit(flag: .day, component: .day, letter: "d", brief: "d", short: "day", word: "day"),
        Unit(flag: .hour, component: .hour, letter: "h", brief: "hr", short: "hr", word: "hour"),
        Unit(flag: .minute, component: .minute, letter: "m", brief: "min", short: "min", word: "minute"),
        Unit(flag: .second, component: .second, letter: "s", brief: "sec", short: "sec", word: "second"),
    ]

    private var chosen: [Unit] {
        let known = Self.units.filter { allowedUnits.contains($0.flag) }
        return known.isEmpty ? Self.units.filter { $0.flag != .weekOfMonth } : known
    }

    /// Returns a duration in words.
    ///
    /// - Parameter interval: the duration in seconds. Parts of the smallest unit are left out.
    open func string(from interval: TimeInterval) -> String? {
        guard interval.isFinite, abs(interval) < 1e12 else { return nil }
        let start = referenceDate ?? Date(timeIntervalSinceReferenceDate: 0)
        return string(from: start, to: start + interval)
    }

    /// Returns the duration between two dates in words.
    ///
    /// - Parameters:
    ///   - startDate: the first date.
    ///   - endDate: the second date. If it is earlier, the text begins with a minus sign.
    open func string(from startDate: Date, to endDate: Date) -> String? {
        let (first, last) = (min(startDate, endDate), max(startDate, endDate))
        let units = chosen
        let parts = (calendar ?? .current).dateComponents(Set(units.map(\.component)), from: first, to: last)
        return text(units, units.map { parts.value(for: $0.component) ?? 0 }, isNegative: endDate < startDate)
    }

    /// Returns components in words of the allowed units, into which the calendar converts them.
    ///
    /// - Parameter components: the components from years to seconds; others do not count.
    /// - Returns: nil without any such component, or for 10¹² seconds and more.
    open func string(from components: DateComponents) -> String? {
        var duration = DateComponents()
        var seconds: Double = 0
        for (unit, length) in zip(Self.units, Self.lengths) {
            guard let value = components.value(for: unit.component), value != Int.max else { continue }
            duration.setValue(value, for: unit.component)
            seconds += Double(value.magnitude) * length
        }
        let start = referenceDate ?? Date(timeIntervalSinceReferenceDate: 0)
        guard duration != DateComponents(), seconds < 1e12,
            let end = (calendar ?? .current).date(byAdding: duration, to: start)
        else { return nil }
        return string(from: start, to: end)
    }

    /// The longest lengths of `units` in seconds.
    private static let lengths: [Double] = [366 * 86_400, 31 * 86_400, 7 * 86_400, 86_400, 3_600, 60, 1]

    /// Returns a duration in words; nil for other values than numbers and components.
    open override func string(for obj: Any?) -> String? {
        if let components = obj as? DateComponents { return string(from: components) }
        return (obj as? NSNumber).flatMap { string(from: $0.doubleValue) }
            ?? (obj as? Double).flatMap { string(from: $0) }
    }

    /// Returns components in words of a style.
    ///
    /// - Parameters:
    ///   - components: the components.
    ///   - unitsStyle: the style.
    open class func localizedString(from components: DateComponents, unitsStyle: UnitsStyle) -> String? {
        let formatter = DateComponentsFormatter()
        formatter.unitsStyle = unitsStyle
        return formatter.string(from: components)
    }

    private func text(_ units: [Unit], _ values: [Int], isNegative: Bool) -> String {
        var parts: [(unit: Unit, value: Int)] = zip(units, values).map { ($0, $1) }
        let rule = zeroFormattingBehavior
        let isPlain = rule.contains(.default)
        let isPositional = unitsStyle == .positional
        let first = parts.firstIndex { $0.value != 0 } ?? parts.count - 1
        let last = parts.lastIndex { $0.value != 0 } ?? parts.count - 1
        parts = parts.enumerated().filter { place, part in
            guard part.value == 0 else { return true }
            if place < first { return !(isPlain || rule.contains(.dropLeading)) }
            if place > last { return !(isPlain && !isPositional || rule.contains(.dropTrailing)) }
            // Nothing but zeros: the smallest unit stays.
            return first == last || !(isPlain && !isPositional || rule.contains(.dropMiddle))
        }.map(\.element)
        if maximumUnitCount > 0 { parts = Array(parts.prefix(maximumUnitCount)) }
        let words = parts.enumerated().map { place, part in word(part.unit, part.value, isFirst: place == 0) }
        let separator: String =
            switch unitsStyle {
            case .positional: ":"
            case .abbreviated, .brief: " "
            case .short, .full, .spellOut: ", "
            }
        return (isNegative && values.contains { $0 != 0 } ? "-" : "") + words.joined(separator: separator)
    }

    private func word(_ unit: Unit, _ value: Int, isFirst: Bool) -> String {
        let plural = value == 1 ? "" : "s"
        switch unitsStyle {
        case .positional:
            let isPadded = value < 10 && (!isFirst || zeroFormattingBehavior.contains(.pad))
            return isPadded ? "0\(value)" : "\(value)"
        case .abbreviated: return "\(value)\(unit.letter)"
        case .brief: return "\(value)\(unit.brief)"
        case .short: return "\(value) \(unit.short)\(["hr", "min", "sec"].contains(unit.short) ? "" : plural)"
        case .full: return "\(value) \(unit.word)\(plural)"
        case .spellOut:
            let speller = NumberFormatter()
            speller.numberStyle = .spellOut
            speller.locale = Locale(identifier: "en")
            return "\(speller.string(from: NSNumber(value: value)) ?? "\(value)") \(unit.word)\(plural)"
        }
    }
}
