// CutText: strangers' text within a bound that counts.

extension String {
    /// The start of the text in at most `limit` bytes of UTF-8, cut between scalars. A bound in characters is none: one
    /// character may have any number of combining marks.
    public func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var result = ""
        var size = 0
        for scalar in unicodeScalars {
            size += UTF8.width(scalar)
            if size > limit { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
