// CutText: the start of a stranger's text within a limit of bytes.

extension String {
    /// Returns the start of the text in at most `limit` bytes of UTF-8, cut between scalars.
    ///
    /// A limit in characters would not bound it: one character may have any number of combining marks.
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
