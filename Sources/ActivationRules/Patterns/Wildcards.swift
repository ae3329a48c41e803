// Wildcards: the patterns of LIKE: `*` for any run, `?` for one character, matched against the whole text.

/// Whether a text matches a pattern, both folded. Each backtrack costs work: at most text times pattern.
func fitsWildcards(_ text: [UInt32], _ pattern: [UInt32], work: inout Int) -> Bool {
    let star = UInt32(UInt8(ascii: "*"))
    let one = UInt32(UInt8(ascii: "?"))
    var place = 0
    var wanted = 0
    /// The place to resume after a mismatch: behind the last star, one character later each time.
    var retry: (pattern: Int, text: Int)?
    while place < text.count {
        work -= 1
        if work < 0 { return false }
        if wanted < pattern.count, pattern[wanted] == star {
            retry = (wanted + 1, place)
            wanted += 1
        } else if wanted < pattern.count, pattern[wanted] == one || pattern[wanted] == text[place] {
            wanted += 1
            place += 1
        } else if let last = retry {
            retry = (last.pattern, last.text + 1)
            wanted = last.pattern
            place = last.text + 1
        } else {
            return false
        }
    }
    while wanted < pattern.count, pattern[wanted] == star { wanted += 1 }
    return wanted == pattern.count
}
