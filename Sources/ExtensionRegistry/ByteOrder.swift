// ByteOrder: texts in the order of their bytes, so that what lies in one folder is together, and thousands are sorted quickly.

import Glibc

extension String {
    /// Its bytes in place, with a zero behind them.
    func withBytes<Value>(_ body: (UnsafeBufferPointer<CChar>) -> Value) -> Value {
        let count = utf8.count
        return withCString { body(UnsafeBufferPointer(start: $0, count: count)) }
    }

    /// Below zero where this text is before the other, zero where their bytes are the same.
    func byteOrder(_ other: String) -> Int {
        withBytes { one in
            other.withBytes { other in
                let difference = memcmp(one.baseAddress!, other.baseAddress!, min(one.count, other.count))
                return difference == 0 ? one.count - other.count : Int(difference)
            }
        }
    }
}
