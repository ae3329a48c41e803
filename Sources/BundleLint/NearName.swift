// NearName: the test whether a name is another one, misspelt.

/// Whether the texts differ by one or two letters added, removed or replaced, regardless of case. False for equal
/// texts.
func areNear(_ known: String, _ written: String) -> Bool {
    guard known != written, abs(known.utf8.count - written.utf8.count) <= 2 else { return false }
    let left = Array(known.lowercased().utf8)
    let right = Array(written.lowercased().utf8)
    // The known name bounds both lengths. The loop computes one row of Levenshtein's table at a time.
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for (place, other) in right.enumerated() {
            let above = row[place + 1]
            row[place + 1] = min(above + 1, row[place] + 1, diagonal + (letter == other ? 0 : 1))
            diagonal = above
        }
    }
    return row[right.count] <= 2
}
