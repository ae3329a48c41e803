// Dictionary+Change: a change of one value in place.

extension Dictionary {
    /// Changes the value of a key where it lies. `self[key]?.property = …` moves the whole value out and back.
    ///
    /// - Returns: the result of `body`; nil if the key has no value.
    @discardableResult
    mutating func change<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
        guard let place = index(forKey: key) else { return nil }
        return body(&values[place])
    }
}
