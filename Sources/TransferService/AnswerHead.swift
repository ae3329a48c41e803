// AnswerHead: the fields of an answer that decide about a resumption.

internal import TransferMessages

/// The value of a field `Content-Range` (RFC 9110, section 14.4).
enum ContentRange: Hashable {
    case part(first: Int, last: Int, total: Int?)
    case unsatisfied(total: Int)

    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let total = whole(sides[1])
        if sides[0] == "*" {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = whole(ends[0]), let last = whole(ends[1]), first <= last,
            total != nil || sides[1] == "*", total.map({ last < $0 }) ?? true
        else { return nil }
        self = .part(first: first, last: last, total: total)
    }
}

/// Reads digits only: a sign or another character makes a field unusable.
private func whole(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
}

extension TransferResponse {
    /// The value of a field; the last one if there are several.
    func field(_ name: String) -> String? {
        headers.last { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The entity tag, if it is a strong one (RFC 9110, section 8.8.3).
    var strongTag: String? {
        guard let tag = field("ETag"), tag.utf8.count <= 1024, tag.utf8.count >= 2, tag.hasPrefix("\""),
            tag.hasSuffix("\""), tag.utf8.dropFirst().dropLast().allSatisfy({ $0 == 0x21 || $0 >= 0x23 && $0 != 0x7f })
        else { return nil }
        return tag
    }

    var contentRange: ContentRange? { field("Content-Range").flatMap(ContentRange.init) }

    /// The size of the body; nil if it is unknown.
    var bodySize: Int? {
        if status == 204 || status == 304 { return 0 }
        guard field("Transfer-Encoding") == nil else { return nil }
        return field("Content-Length").flatMap { whole($0) }
    }

    /// The time in seconds that the server asks to wait. `now` counts seconds since 1970.
    func retryAfter(now: Int) -> Int? {
        guard let text = field("Retry-After") else { return nil }
        if let seconds = whole(text) { return seconds }
        return httpDate(text).map { max(0, $0 - now) }
    }
}

/// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7), in seconds since 1970.
func httpDate(_ text: String) -> Int? {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "," })
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard words.count == 6, words[5] == "GMT", let day = whole(words[1]), (1...31).contains(day),
        let month = months.firstIndex(of: String(words[2])), let year = whole(words[3]), (1970...9999).contains(year)
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { whole($0) }
    guard time.count == 3, time[0] < 24, time[1] < 60, time[2] < 61 else { return nil }
    // The days from 1970-03-01 on, so that February is the last month of a year.
    let shifted = month >= 2 ? (year: year, month: month - 2) : (year: year - 1, month: month + 10)
    let leaps = shifted.year / 4 - shifted.year / 100 + shifted.year / 400
    let days = shifted.year * 365 + leaps + (shifted.month * 153 + 2) / 5 + day - 1 - 719_468
    return days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
}
