// Sealed memory: what is accepted cannot change, and what could change is not accepted.

import Glibc
import LinuxSystem
import Testing

@Suite struct SealedMemoryTests {
    @Test func bytesComeBackAndCannotBeChanged() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let memory = try SealedMemory.make(bytes)
        let mapped = try SealedMemory.map(memory.raw, maximumSize: bytes.count)
        #expect(mapped.count == bytes.count)
        #expect(mapped.withUnsafeBytes { Array($0) } == bytes)
        #expect(pwrite(memory.raw, "x", 1, 0) == -1 && errno == EPERM)
        #expect(ftruncate(memory.raw, 1) == -1 && errno == EPERM)
        #expect(ftruncate(memory.raw, 200_000) == -1 && errno == EPERM)
        #expect(mmap(nil, 1, PROT_READ | PROT_WRITE, MAP_SHARED, memory.raw, 0) == MAP_FAILED)
        #expect(fcntl(memory.raw, F_GETFD) == FD_CLOEXEC)
    }

    @Test func theMappingOutlivesTheDescriptor() throws {
        func mapping() throws -> MappedMemory {
            let memory = try SealedMemory.make([1, 2, 3])
            return try SealedMemory.map(memory.raw, maximumSize: 3)
        }
        #expect(try mapping().withUnsafeBytes { Array($0) } == [1, 2, 3])
    }

    @Test func nothingIsAnItemToo() throws {
        let memory = try SealedMemory.make([])
        #expect(try SealedMemory.map(memory.raw, maximumSize: 0).withUnsafeBytes { $0.count } == 0)
        let draft = try MemoryDraft(size: 0).seal()
        #expect(try SealedMemory.map(draft.raw, maximumSize: 0).count == 0)
    }

    @Test func aProducerWritesInPlaceAndSealsWhatItUsed() throws {
        let memory = try SealedMemory.make(size: 10_000) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index) }
        }
        let whole = try SealedMemory.map(memory.raw, maximumSize: 10_000)
        #expect(whole.withUnsafeBytes { Array($0) } == (0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
        let draft = try MemoryDraft(size: 10_000)
        draft.withUnsafeMutableBytes { $0.storeBytes(of: 0x0403_0201, as: UInt32.self) }
        let short = try draft.seal(count: 4)
        #expect(try SealedMemory.map(short.raw, maximumSize: 4).withUnsafeBytes { Array($0) } == [1, 2, 3, 4])
    }

    @Test func aSealedCountBeyondTheDraftIsRefused() throws {
        #expect(throws: SealedMemoryError.self) { _ = try MemoryDraft(size: 10).seal(count: 11) }
    }

    @Test func aProducersErrorComesThrough() throws {
        #expect(throws: Impatient.self) { _ = try SealedMemory.make(size: 10) { _ in throw Impatient() } }
    }

    @Test func whatIsTooLargeIsRefused() throws {
        let memory = try SealedMemory.make([1, 2, 3])
        #expect(throws: SealedMemoryError.tooLarge(size: 3, maximum: 2)) {
            _ = try SealedMemory.map(memory.raw, maximumSize: 2)
        }
    }

    /// `F_SEAL_…` of fcntl(2).
    private static let shrink: Int32 = 2
    private static let grow: Int32 = 4
    private static let write: Int32 = 8

    @Test(arguments: [0, 1, 2, 4, 8, 2 | 4, 2 | 8, 4 | 8] as [Int32])
    func everyMissingSealIsNamed(seals: Int32) throws {
        // A memfd of a stranger: through /proc one is opened afresh, unsealed.
        let raw = memfd("stranger")
        let memory = OwnedDescriptor(owning: raw)
        #expect(ftruncate(memory.raw, 10) == 0)
        let addSeals: Int32 = 1033
        #expect(fcntl(memory.raw, addSeals, seals) == 0)
        let missing = (Self.shrink | Self.grow | Self.write) & ~seals
        #expect(throws: SealedMemoryError.notSealed(missing: missing)) {
            _ = try SealedMemory.map(memory.raw, maximumSize: 10)
        }
    }

    /// Whoever reads a page that was not written makes it.
    @Test(arguments: [(0, true), (8192, false)]) func whatHasNotBeenWrittenIsRefused(more: Int, isTaken: Bool) throws {
        let memory = OwnedDescriptor(owning: memfd("stranger"))
        let size = 4096 + SealedMemory.mostUnwritten + more
        let page = [UInt8](repeating: 1, count: 4096)
        #expect(Glibc.write(memory.raw, page, page.count) == page.count && ftruncate(memory.raw, off_t(size)) == 0)
        let addSeals: Int32 = 1033
        #expect(fcntl(memory.raw, addSeals, Self.shrink | Self.grow | Self.write) == 0)
        guard !isTaken else {
            #expect(try SealedMemory.check(memory.raw, maximumSize: 1 << 32) == size)
            return
        }
        #expect(throws: SealedMemoryError.sparse(size: Int64(size), unwritten: Int64(size - 4096))) {
            _ = try SealedMemory.check(memory.raw, maximumSize: 1 << 32)
        }
    }

    private func memfd(_ name: String) -> Int32 {
        typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        guard let address = dlsym(nil, "memfd_create") else { return -1 }
        let closeOnExecAndAllowSealing: UInt32 = 3
        return unsafeBitCast(address, to: Create.self)(name, closeOnExecAndAllowSealing)
    }

    @Test func otherKindsOfDescriptorAreRefused() throws {
        let pair = try SocketPair()
        #expect(throws: SealedMemoryError.notRegularFile) { _ = try SealedMemory.map(pair.first.raw, maximumSize: 10) }
        let directory = OwnedDescriptor(owning: open("/", O_RDONLY | O_CLOEXEC))
        #expect(throws: SealedMemoryError.notRegularFile) { _ = try SealedMemory.map(directory.raw, maximumSize: 10) }
        let file = OwnedDescriptor(owning: open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
        #expect(throws: SealedMemoryError.self) { _ = try SealedMemory.map(file.raw, maximumSize: 1 << 30) }
        #expect(throws: SealedMemoryError.system(SystemError("fstat", code: EBADF))) {
            _ = try SealedMemory.map(-1, maximumSize: 10)
        }
    }

    @Test func everyErrorSaysWhatToDo() {
        #expect(SealedMemoryError.notRegularFile.description.contains("memfd"))
        #expect(SealedMemoryError.notMemory.description.contains("memfd"))
        #expect(SealedMemoryError.notSealed(missing: 8).description.contains("8"))
        #expect(SealedMemoryError.tooLarge(size: 7, maximum: 5).description.contains("7"))
        #expect(SealedMemoryError.system(SystemError("mmap", code: ENOMEM)).description.contains("mmap"))
    }
}
