// SharedRings: two rings of bytes in memory that two processes share, one for each direction.

internal import CLinux
internal import Glibc

/// The reason why the other side's rings cannot be used.
public enum SharedRingError: Error, Sendable, Hashable {
    /// The memory is not what `SharedRings` makes: its size, its kind or its seals differ.
    case notRings
    /// The other side has written places or lengths that cannot be.
    case corrupted
    case system(SystemError)
}

/// Memory with two rings. The side that makes it writes the first, and the other side the second.
///
/// A ring has one writer and one reader. What lies in it is copied before it is looked at, because the other side may
/// change it at any time.
public final class SharedRings: Sendable {
    /// The bytes before each ring's contents: its places, on cache lines of their own.
    private static let head = 4096
    /// The greatest capacity of a ring, in bytes.
    public static let mostCapacity = 16 << 20

    private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer
    private let capacity: Int

    /// Makes empty rings.
    ///
    /// - Parameter capacity: the bytes of each: a power of two from 4,096 to `mostCapacity`.
    /// - Returns: the rings, and the memory for the other side.
    public static func make(capacity: Int) throws(SharedRingError) -> (rings: SharedRings, memory: SharedDescriptor) {
        precondition(isAllowed(capacity), "a ring has a power of two of bytes")
        do {
            let descriptor = try SealedMemory.create("stream")
            guard ftruncate(descriptor.raw, off_t(2 * (head + capacity))) == 0 else {
                throw SharedRingError.system(SystemError("ftruncate"))
            }
            // Neither side can then make the other's accesses fail.
            let code = exthost_add_seals(descriptor.raw, seals | Int32(EXTHOST_SEAL_SEAL))
            guard code == 0 else { throw SharedRingError.system(SystemError("fcntl", code: -code)) }
            return (try SharedRings(descriptor.raw, capacity), SharedDescriptor(owning: descriptor.release()))
        } catch let error as SharedRingError {
            throw error
        } catch SealedMemoryError.system(let error) {
            throw .system(error)
        } catch {
            throw .notRings
        }
    }

    /// Opens the rings that the other side has made. The descriptor stays the caller's and may be closed afterwards.
    ///
    /// - Parameter capacity: what the other side says, which is checked.
    public static func open(_ memory: SharedDescriptor, capacity: Int) throws(SharedRingError) -> SharedRings {
        var status = stat()
        guard isAllowed(capacity), fstat(memory.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size == off_t(2 * (head + capacity)), exthost_get_seals(memory.raw) & seals == seals,
            exthost_has_huge_pages(memory.raw) == 0
        else { throw .notRings }
        return try SharedRings(memory.raw, capacity)
    }

    private init(_ raw: Int32, _ capacity: Int) throws(SharedRingError) {
        self.capacity = capacity
        do {
            memory = try mapMemory(
                raw, count: 2 * (Self.head + capacity), protection: PROT_READ | PROT_WRITE, flags: MAP_SHARED)
        } catch SealedMemoryError.system(let error) {
            throw .system(error)
        } catch {
            throw .notRings
        }
    }

    deinit { unmapMemory(memory) }

    private static let seals = Int32(EXTHOST_SEAL_SHRINK | EXTHOST_SEAL_GROW)

    private static func isAllowed(_ capacity: Int) -> Bool {
        (4096...mostCapacity).contains(capacity) && capacity & (capacity - 1) == 0
    }

    /// Returns the writer of a ring. Make one only.
    public func writer(ofFirst isFirst: Bool) -> RingWriter { RingWriter(half(isFirst)) }

    /// Returns the reader of a ring. Make one only.
    public func reader(ofFirst isFirst: Bool) -> RingReader { RingReader(half(isFirst)) }

    /// Declares, for the writer of a ring, that nothing follows what it has published. Any thread may call it.
    public func end(first isFirst: Bool) { exthost_shared_store(half(isFirst).isEnded, 1) }

    /// Whether the writer of a ring has written all it will.
    public func isEnded(first isFirst: Bool) -> Bool { exthost_shared_load(half(isFirst).isEnded) == 1 }

    private func half(_ isFirst: Bool) -> SharedRing {
        let base = memory.baseAddress! + (isFirst ? 0 : Self.head + capacity)
        return SharedRing(owner: self, words: base, bytes: base + Self.head, capacity: capacity)
    }
}

/// One ring: its words, which both sides read and write, and its bytes.
///
/// A place is the number of bytes written or read since the beginning, so it never decreases.
struct SharedRing {
    /// The holder of the mapping.
    let owner: SharedRings
    let words: UnsafeMutableRawPointer
    let bytes: UnsafeMutableRawPointer
    let capacity: Int

    var written: UnsafeMutableRawPointer { words }
    var read: UnsafeMutableRawPointer { words + 64 }
    /// 1 while the reader sleeps, and wants to be woken.
    var readerSleeps: UnsafeMutableRawPointer { words + 128 }
    /// 1 while the writer sleeps, and wants to be woken.
    var writerSleeps: UnsafeMutableRawPointer { words + 192 }
    /// 1 once the writer has written all it will.
    var isEnded: UnsafeMutableRawPointer { words + 256 }

    /// Copies bytes to or from a place, around the end.
    func copy(at place: UInt64, _ count: Int, _ body: (_ offset: Int, UnsafeMutableRawBufferPointer) -> Void) {
        let start = Int(place & UInt64(capacity - 1))
        let first = min(count, capacity - start)
        body(0, UnsafeMutableRawBufferPointer(start: bytes + start, count: first))
        if first < count { body(first, UnsafeMutableRawBufferPointer(start: bytes, count: count - first)) }
    }
}

/// The writer of a ring. One thread at a time.
public struct RingWriter: @unchecked Sendable {
    // Only its one thread at a time changes it, and the shared words are atomic.
    private let ring: SharedRing
    private var place: UInt64 = 0
    private var freed: UInt64 = 0

    init(_ ring: SharedRing) { self.ring = ring }

    /// Writes an entry, which the reader sees after `publish()`; returns false if there is no room.
    public mutating func write(_ entry: UnsafeRawBufferPointer) throws(SharedRingError) -> Bool {
        let needed = UInt64(4 + entry.count)
        if place + needed - freed > UInt64(ring.capacity) {
            let read = exthost_shared_load(ring.read)
            guard read >= freed, read <= place else { throw .corrupted }
            freed = read
            guard place + needed - freed <= UInt64(ring.capacity) else { return false }
        }
        withUnsafeBytes(of: UInt32(entry.count).littleEndian) { put($0, at: place) }
        put(entry, at: place + 4)
        place += needed
        return true
    }

    private func put(_ source: UnsafeRawBufferPointer, at place: UInt64) {
        ring.copy(at: place, source.count) { offset, target in
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<(offset + target.count)]))
        }
    }

    /// Shows the reader what was written; returns whether it sleeps and must be woken.
    public func publish() -> Bool {
        exthost_shared_store(ring.written, place)
        exthost_shared_fence()
        return exthost_shared_load(ring.readerSleeps) == 1 && exthost_shared_exchange(ring.readerSleeps, 0) == 1
    }

    /// Declares that this writer sleeps until it is woken; returns false if there is room for `count` bytes already.
    public mutating func fallAsleep(needing count: Int) throws(SharedRingError) -> Bool {
        _ = exthost_shared_exchange(ring.writerSleeps, 1)
        exthost_shared_fence()
        let read = exthost_shared_load(ring.read)
        guard read >= freed, read <= place else { throw .corrupted }
        freed = read
        guard place + UInt64(4 + count) - freed <= UInt64(ring.capacity) else { return true }
        _ = exthost_shared_exchange(ring.writerSleeps, 0)
        return false
    }
}

/// The reader of a ring. One thread at a time.
public struct RingReader: @unchecked Sendable {
    // Only its one thread at a time changes it, and the shared words are atomic.
    private let ring: SharedRing
    private var place: UInt64 = 0
    private var known: UInt64 = 0

    init(_ ring: SharedRing) { self.ring = ring }

    /// Returns the next entry; nil if there is none yet.
    ///
    /// - Parameter largest: the most bytes of an entry.
    /// - Throws: `corrupted`, for places and lengths that cannot be.
    public mutating func next(largest: Int) throws(SharedRingError) -> [UInt8]? {
        if known == place { try look() }
        guard known > place else { return nil }
        guard known - place >= 4 else { throw .corrupted }
        var length: UInt32 = 0
        withUnsafeMutableBytes(of: &length) { get(at: place, into: $0) }
        let count = Int(UInt32(littleEndian: length))
        guard count <= largest, UInt64(4 + count) <= known - place else { throw .corrupted }
        let entry = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            get(at: place + 4, into: UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            initialized = count
        }
        place += UInt64(4 + count)
        return entry
    }

    private mutating func look() throws(SharedRingError) {
        let written = exthost_shared_load(ring.written)
        guard written >= known, written - place <= UInt64(ring.capacity) else { throw .corrupted }
        known = written
    }

    private func get(at place: UInt64, into target: UnsafeMutableRawBufferPointer) {
        ring.copy(at: place, target.count) { offset, source in
            UnsafeMutableRawBufferPointer(rebasing: target[offset..<(offset + source.count)])
                .copyMemory(from: UnsafeRawBufferPointer(source))
        }
    }

    /// Frees what was read; returns whether the writer sleeps and must be woken.
    public func release() -> Bool {
        exthost_shared_store(ring.read, place)
        exthost_shared_fence()
        return exthost_shared_load(ring.writerSleeps) == 1 && exthost_shared_exchange(ring.writerSleeps, 0) == 1
    }

    /// Declares that this reader sleeps until it is woken; returns false if there is something to read, or the end.
    public mutating func fallAsleep() throws(SharedRingError) -> Bool {
        _ = exthost_shared_exchange(ring.readerSleeps, 1)
        exthost_shared_fence()
        try look()
        guard known > place || isEnded else { return true }
        _ = exthost_shared_exchange(ring.readerSleeps, 0)
        return false
    }

    /// Whether the writer has written all it will. Read what is left afterwards.
    public var isEnded: Bool { exthost_shared_load(ring.isEnded) == 1 }
}
