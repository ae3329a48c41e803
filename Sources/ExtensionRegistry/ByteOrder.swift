// ByteOrder: the byte order of texts, which puts the paths of one folder together and sorts thousands quickly.

import Glibc

extension String {
    /// Calls `body` with the string's bytes in place, which a zero byte follows.
    func withBytes<Value>(_ body: (UnsafeBufferPointer<CChar>) -> Value) -> Value {
        let count = utf8.count
        return withCString { body(UnsafeBufferPointer(start: $0, count: count)) }
    }

    /// Returns a number below zero if this string sorts before the other, and zero if their bytes are equal.
    func byteOrder(_ other: String) -> Int {
        withBytes { one in
            other.withBytes { other in
                let difference = memcmp(one.baseAddress!, other.baseAddress!, min(one.count, other.count))
                return difference == 0 ? one.count - other.count : Int(difference)
            }
        }
    }
}
