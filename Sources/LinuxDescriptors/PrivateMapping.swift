// PrivateMapping: sealed memory as ordinary memory of this process, without a copy.

internal import Glibc

/// A view of sealed memory whose pages this process may change.
///
/// A page is copied when it is first written, and no other process sees the change. The owner unmaps it once, with
/// `unmap`.
public struct PrivateMapping: @unchecked Sendable {  // a place in memory, whose use is the owner's affair
    public let start: UnsafeMutableRawPointer?
    public let count: Int

    /// Maps sealed memory after the checks of `SealedMemory.map`.
    ///
    /// The descriptor stays the caller's and may be closed afterwards.
    public init(sealed raw: Int32, maximumSize: Int) throws(SealedMemoryError) {
        count = try SealedMemory.check(raw, maximumSize: maximumSize)
        start = try mapMemory(raw, count: count, protection: PROT_READ | PROT_WRITE, flags: MAP_PRIVATE).baseAddress
    }

    /// Ends the view; `start` must not be used any more.
    public func unmap() { unmapMemory(UnsafeMutableRawBufferPointer(start: start, count: count)) }
}
