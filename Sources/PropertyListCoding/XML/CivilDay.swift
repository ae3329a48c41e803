// CivilDay: days of the Gregorian calendar, counted from 2001-01-01.

enum CivilDay {
    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func daysIn(month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 2001 for years from 1 on. 2001 begins a cycle of 400 years, so whole years before it
    /// count simply.
    static func daysSince2001(year: Int, month: Int, day: Int) -> Int {
        let past = year - 1
        var days = past * 365 + past / 4 - past / 100 + past / 400 - 730_485
        for earlier in 1..<month { days += daysIn(month: earlier, year: year) }
        return days + day - 1
    }
}
