// CStrings: many strings in the form of C, in one block of memory, with the pointer lists of execve(2).

internal import Glibc

/// A collection of strings that lends pointers to all of them at once.
struct CStrings: ~Copyable {
    private var bytes: [CChar] = []
    /// The offset in `bytes` of each pointer; `nil` ends a list.
    private var offsets: [Int?] = []

    /// Adds one string; returns its place among the pointers.
    mutating func add(_ string: String) throws(SpawnError) -> Int {
        guard !string.hasZeroByte else { throw .invalid("a string holds a zero byte: \(string.debugDescription)") }
        offsets.append(bytes.count)
        string.withCString { bytes.append(contentsOf: UnsafeBufferPointer(start: $0, count: string.utf8.count + 1)) }
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

extension String {
    /// Whether a function of the C library would see only a part of it.
    var hasZeroByte: Bool {
        var text = self
        return text.withUTF8 { bytes in bytes.baseAddress.flatMap { memchr($0, 0, bytes.count) } != nil }
    }
}
