// SecRandom: random bytes of the kernel.

internal import CoreFoundationNames
internal import Glibc

/// A generator of random bytes. The kernel's is the only one.
public final class SecRandom: Sendable {}
public typealias SecRandomRef = SecRandom

/// The kernel's generator.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with random bytes of the kernel.
///
/// - Parameters:
///   - generator: `kSecRandomDefault`.
///   - count: the number of bytes.
///   - bytes: the memory.
/// - Returns: `errSecSuccess`; -1 with `errno` if the kernel has no generator.
@discardableResult public func SecRandomCopyBytes(
    _ generator: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer
) -> Int32 {
    guard count >= 0 else { return errSecParam }
    var done = 0
    while done < count {
        // The most that one call gives.
        let part = min(count - done, 256)
        guard getentropy(bytes + done, part) == 0 else { return -1 }
        done += part
    }
    return errSecSuccess
}
