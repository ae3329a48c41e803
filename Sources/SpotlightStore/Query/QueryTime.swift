// QueryTime: the dates that a query names by their distance from now.

internal import Foundation

/// The values of `$time`, in seconds since 2001.
struct QueryTime: Sendable {
    private let now: Date
    private let calendar: Calendar

    init(now: Double?, timeZone: String?) {
        self.now = now.map { Date(timeIntervalSinceReferenceDate: $0) } ?? Date()
        var calendar = Calendar(identifier: .gregorian)
        if let zone = timeZone.flatMap({ TimeZone(identifier: $0) }) { calendar.timeZone = zone }
        self.calendar = calendar
    }

    /// The names of the dates, without that of a date in ISO 8601.
    static let names = ["now", "today", "yesterday", "this_week", "this_month", "this_year"]

    /// Returns a date.
    ///
    /// - Parameters:
    ///   - name: one of `names`.
    ///   - offset: seconds for `now`; else days, weeks, months or years as the name says.
    /// - Returns: nil for another name, and for a date outside of the calendar.
    func value(_ name: String, offset: Int) -> Double? {
        guard abs(offset) <= 1_000_000_000 else { return nil }
        let (start, unit): (Date?, Calendar.Component)
        switch name {
        case "now": return now.timeIntervalSinceReferenceDate + Double(offset)
        case "today": (start, unit) = (calendar.startOfDay(for: now), .day)
        case "yesterday":
            (start, unit) = (calendar.date(byAdding: .day, value: -1, to: calendar.startOfDay(for: now)), .day)
        case "this_week": (start, unit) = (calendar.dateInterval(of: .weekOfYear, for: now)?.start, .weekOfYear)
        case "this_month": (start, unit) = (calendar.dateInterval(of: .month, for: now)?.start, .month)
        case "this_year": (start, unit) = (calendar.dateInterval(of: .year, for: now)?.start, .year)
        default: return nil
        }
        guard let start, abs(offset) <= 100_000 else { return nil }
        return calendar.date(byAdding: unit, value: offset, to: start)?.timeIntervalSinceReferenceDate
    }

    /// Reads a date in ISO 8601, with or without a time; without a zone it is in UTC.
    static func iso(_ text: String) -> Double? {
        var reader = DigitReader(text.utf8.prefix(64))
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2)
        else { return nil }
        var parts = DateComponents(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
        var zone = 0
        if reader.take("T") {
            guard let hour = reader.number(2), reader.take(":"), let minute = reader.number(2) else { return nil }
            (parts.hour, parts.minute) = (hour, minute)
            if reader.take(":") {
                guard let second = reader.number(2) else { return nil }
                parts.second = second
            }
            guard let found = reader.zone() else { return nil }
            zone = found
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        guard reader.isAtEnd, parts.isValidDate(in: calendar), let date = calendar.date(from: parts) else { return nil }
        return date.timeIntervalSinceReferenceDate - Double(zone)
    }
}

/// A reader of the digits and signs of a date.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: Substring.UTF8View) { rest = text }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(_ digits: Int) -> Int? {
        guard rest.count >= digits else { return nil }
        var number = 0
        for byte in rest.prefix(digits) {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        rest.removeFirst(digits)
        return number
    }

    /// Reads `Z`, `+01:00` or nothing: the seconds east of UTC; nil for a zone that is none.
    mutating func zone() -> Int? {
        if isAtEnd || take("Z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(2) else { return nil }
        _ = take(":")
        guard let minutes = number(2) else { return nil }
        return (isEast ? 60 : -60) * (hours * 60 + minutes)
    }
}
