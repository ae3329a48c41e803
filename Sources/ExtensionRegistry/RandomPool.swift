// RandomPool: a buffer of random numbers, which takes many from the kernel with one call.

import LinuxSystem

/// A generator as good as the kernel's own; it uses each number once.
struct RandomPool: RandomNumberGenerator {
    private var bytes: [UInt8] = []

    mutating func next() -> UInt64 {
        if bytes.count < 8 { bytes = (try? randomBytes(256)) ?? [] }
        // A running kernel does not refuse them; if one does, the standard library's call waits.
        guard bytes.count >= 8 else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        defer { bytes.removeLast(8) }
        return bytes.withUnsafeBytes { $0.number(at: $0.count - 8, as: UInt64.self) }
    }
}
