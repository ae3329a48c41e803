// CStrings: many strings in the form of C, in one block of memory, with the pointer lists of execve(2).

/// A collection of strings that lends pointers to all of them at once.
struct CStrings: ~Copyable {
    private var bytes: [CChar] = []
    /// The offset in `bytes` of each pointer; `nil` ends a list.
    private var offsets: [Int?] = []

    /// Adds one string; returns its place among the pointers.
    mutating func add(_ string: String) throws(SpawnError) -> Int {
        offsets.append(bytes.count)
        for byte in string.utf8 {
            guard byte != 0 else { throw .invalid("a string holds a zero byte: \(string.debugDescription)") }
            bytes.append(CChar(bitPattern: byte))
        }
        bytes.append(0)
        return offsets.count - 1
    }

    /// Adds a list with its closing null pointer; returns the place of its first pointer.
    mutating func addList(_ strings: [String]) throws(SpawnError) -> Int {
        let first = offsets.count
        for string in strings { _ = try add(string) }
        offsets.append(nil)
        return first
    }

    /// Calls `body` with the pointers, which are valid inside it only.
    mutating func withPointers<Result>(
        _ body: (UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let offsets = offsets
        return bytes.withUnsafeMutableBufferPointer { bytes in
            var pointers: [UnsafeMutablePointer<CChar>?] = offsets.map { offset in
                guard let offset, let base = bytes.baseAddress else { return nil }
                return base + offset
            }
            return pointers.withUnsafeMutableBufferPointer { body($0) }
        }
    }
}
