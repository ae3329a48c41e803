// LineAssembly: the assembly of lines from pieces of output; pure.

import Glibc

/// The output of one stream of one process since its last newline.
struct LineAssembly: Sendable {
    /// Lines joined by newlines, the last without one. Lines that were read together share one array.
    struct Lines: Sendable, Hashable {
        let bytes: [UInt8]
        let count: Int

        /// Calls `body` with each line from number `first` on, the first line being 0, as long as it returns true.
        func each(from first: Int = 0, _ body: ([UInt8]) -> Bool) {
            bytes.withUnsafeBytes { all in
                var start = 0
                for number in 0..<count {
                    let newline = number == count - 1 ? nil : memchr(all.baseAddress! + start, 0x0a, all.count - start)
                    let end = newline.map { UnsafeRawPointer($0) - all.baseAddress! } ?? all.count
                    if number >= first, !body(Array(all[start..<end])) { return }
                    start = end + 1
                }
            }
        }
    }

    /// The number of bytes above which a line comes in pieces: a batch of lines must fit into a packet.
    static let longestLine = 8192
    /// The most lines that are handed out together. A search for one of them skips the others.
    static let mostTogether = 1024

    private var rest: [UInt8] = []

    /// Adds bytes that were read and hands out the lines that they finish.
    ///
    /// A newline costs one search and nothing else, as an extension may print nothing but newlines.
    mutating func add(_ bytes: [UInt8], _ hand: (Lines) -> Void) {
        bytes.withUnsafeBytes { all in
            // The lines that are found and not handed out: `rest` and the bytes from `start` up to `end`.
            var (start, end, count) = (0, 0, 0)
            func handOut(through last: Int, skipping: Int) {
                guard count > 0 else { return }
                hand(Lines(bytes: rest + all[start..<last], count: count))
                rest = []
                (start, end, count) = (last + skipping, last + skipping, 0)
            }
            while end < all.count {
                let room = Self.longestLine - (count == 0 ? rest.count : 0)
                let window = min(room + 1, all.count - end)
                if let newline = memchr(all.baseAddress! + end, 0x0a, window) {
                    let place = UnsafeRawPointer(newline) - all.baseAddress!
                    count += 1
                    end = place + 1
                    if count == Self.mostTogether { handOut(through: place, skipping: 1) }
                } else if window > room {
                    // The lines before the long one end with a newline, and its first piece without one.
                    handOut(through: end - 1, skipping: 1)
                    count = 1
                    handOut(through: start + room, skipping: 0)
                } else {
                    break
                }
            }
            handOut(through: end - 1, skipping: 1)
            rest += all[start...]
        }
    }

    /// Ends the stream, and returns the bytes after the last newline as a line; nil if there are none.
    mutating func end() -> Lines? {
        defer { rest = [] }
        return rest.isEmpty ? nil : Lines(bytes: rest, count: 1)
    }
}
