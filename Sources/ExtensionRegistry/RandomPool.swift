// RandomPool: random numbers from the kernel, many with one call.

import LinuxSystem

/// As good as the kernel's own, and used once each.
struct RandomPool: RandomNumberGenerator {
    private var bytes: [UInt8] = []

    mutating func next() -> UInt64 {
        if bytes.count < 8 { bytes = (try? randomBytes(256)) ?? [] }
        // No kernel has refused them once it is up; where it does, the standard library's call waits for it.
        guard bytes.count >= 8 else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        defer { bytes.removeLast(8) }
        return bytes.withUnsafeBytes { $0.number(at: $0.count - 8, as: UInt64.self) }
    }
}
