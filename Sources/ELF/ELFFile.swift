// ELFFile: the bounded reading of parts of an ELF file (elf(5)). Files are hostile, so every place and size is checked.

import Glibc
import LinuxDescriptors

/// The reason why a loader could not use a file, as words that follow a colon.
package struct ELFDamage: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// An open ELF file of this machine.
///
/// It is read by pread(2) and never mapped, because a user with write access could truncate it meanwhile.
package struct ELFFile: ~Copyable {
    package let header: ELFHeader
    /// The size in bytes.
    package let size: Int
    private let descriptor: OwnedDescriptor
    /// The bytes of the header, in which some places depend on the class.
    private let start: [UInt8]

    /// The maximum size of a table that is read; tables in real files are shorter.
    package static let pieceLimit = 32 << 20
    /// The maximum size of the program headers, as in the kernel (`load_elf_phdrs`).
    private static let segmentsLimit = 64 << 10

    /// - Throws: `ELFDamage` if the file cannot be read or is no ELF file. A header of another machine is no damage.
    package init(_ path: String) throws(ELFDamage) {
        let opened = try Self.open(path)
        guard let status = try? FileStatus(of: opened.raw), status.isRegular else {
            throw ELFDamage("it is not a regular file")
        }
        var bytes = [UInt8](repeating: 0, count: min(64, status.size))
        let count = bytes.withUnsafeMutableBytes { pread(opened.raw, $0.baseAddress, $0.count, 0) }
        guard count == bytes.count, let header = ELFHeader(bytes) else { throw ELFDamage("it is not an ELF file") }
        self.header = header
        size = status.size
        start = bytes
        descriptor = opened
    }

    private static func open(_ path: String) throws(ELFDamage) -> OwnedDescriptor {
        do {
            return try openForReading(path)
        } catch {
            throw ELFDamage("it cannot be read (\(error))")
        }
    }

    /// Whether this machine's loader would accept the file, as far as its header tells.
    package var isOfThisMachine: Bool {
        let own = ELFHeader.ofThisMachine
        return header.machine == own.machine && header.is64Bit == own.is64Bit
            && header.isLittleEndian == own.isLittleEndian
    }

    /// Reads bytes of the file. `what` names them in the error if they are missing.
    package func bytes(at offset: UInt64, _ count: UInt64, _ what: String) throws(ELFDamage) -> ELFPiece {
        guard count <= UInt64(Self.pieceLimit) else { throw ELFDamage("\(what) would take \(count) bytes") }
        guard offset <= UInt64(size), count <= UInt64(size) - offset else {
            throw ELFDamage("\(what) is outside of the file")
        }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        var filled = 0
        while filled < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor.raw, $0.baseAddress! + filled, $0.count - filled, off_t(offset) + off_t(filled))
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw ELFDamage("\(what) cannot be read") }
            filled += got
        }
        return ELFPiece(bytes: bytes, is64Bit: header.is64Bit)
    }

    /// Reads the program headers. Their absence is no damage: an object file has none.
    package func segments() throws(ELFDamage) -> [ELFSegment] {
        let head = ELFPiece(bytes: start, is64Bit: header.is64Bit)
        let (place, width, number) = header.is64Bit ? (32, 54, 56) : (28, 42, 44)
        guard let offset = head.word(place), let entry = head.half(width), let count = head.half(number) else {
            throw ELFDamage("it ends within its header")
        }
        guard count > 0 else { return [] }
        let shape = header.is64Bit ? 56 : 32
        guard Int(entry) == shape, Int(count) * shape <= Self.segmentsLimit else {
            throw ELFDamage("its table of segments has a form that the kernel does not accept")
        }
        let table = try bytes(at: offset, UInt64(shape) * UInt64(count), "its table of segments")
        return (0..<Int(count)).compactMap { ELFSegment(table, at: $0 * shape) }
    }
}

/// The place of a section.
package struct ELFSection {
    package let address: UInt64
    package let offset: UInt64
    package let size: UInt64
}

extension ELFFile {
    /// The maximum number of sections; compilers make some dozens.
    private static let sectionsLimit = 4096

    /// Returns the place of a section, from the section headers (elf(5)). Nil for a file of 32 bits, without the
    /// section, or with a damaged table.
    package func section(_ name: String) -> ELFSection? {
        let width = 64
        guard header.is64Bit, let head = try? bytes(at: 0, 64, "its header"), let table = head.word(40), table > 0,
            head.half(58) == UInt16(width), let count = head.half(60), count <= Self.sectionsLimit,
            let namesIndex = head.half(62), namesIndex < count,
            let entries = try? bytes(at: table, UInt64(count) * UInt64(width), "its sections")
        else { return nil }
        func place(_ index: Int) -> ELFSection? {
            let start = index * width
            guard let address = entries.word(start + 16), let offset = entries.word(start + 24),
                let size = entries.word(start + 32)
            else { return nil }
            return ELFSection(address: address, offset: offset, size: size)
        }
        guard let strings = place(Int(namesIndex)),
            let names = try? bytes(at: strings.offset, strings.size, "its names")
        else { return nil }
        for index in 0..<Int(count) {
            guard let offset = entries.single(index * width), names.has(name, at: Int(offset)) else { continue }
            return place(index)
        }
        return nil
    }
}

extension ELFFile {
    /// Whether it contains Swift code: its types are in a section of their own.
    package var hasSwiftTypes: Bool { section("swift5_type_metadata") != nil }
}

/// A run of bytes with numbers in them, in this machine's byte order and in the file's class.
package struct ELFPiece {
    package let bytes: [UInt8]
    package let is64Bit: Bool

    package func number<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type) -> Value? {
        guard offset >= 0, offset <= bytes.count - MemoryLayout<Value>.size else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }

    package func half(_ offset: Int) -> UInt16? { number(offset, UInt16.self) }
    package func single(_ offset: Int) -> UInt32? { number(offset, UInt32.self) }
    /// Returns an address, an offset or a size.
    package func word(_ offset: Int) -> UInt64? {
        is64Bit ? number(offset, UInt64.self) : single(offset).map(UInt64.init)
    }

    /// Whether exactly this text with its zero byte is at an offset. It reads no further.
    package func has(_ text: String, at offset: Int) -> Bool {
        let wanted = Array(text.utf8) + [0]
        return offset >= 0 && offset <= bytes.count - wanted.count
            && bytes[offset..<offset + wanted.count].elementsEqual(wanted)
    }

    /// Returns the text from an offset to a zero byte; nil if it does not end, or is not UTF-8.
    package func text(_ offset: UInt64) -> String? {
        guard offset < UInt64(bytes.count), let end = bytes[Int(offset)...].firstIndex(of: 0) else { return nil }
        return String(validating: bytes[Int(offset)..<end], as: UTF8.self)
    }
}

/// One program header.
package struct ELFSegment {
    package static let load: UInt32 = 1
    package static let dynamic: UInt32 = 2
    package static let note: UInt32 = 4

    package let type: UInt32
    package let offset: UInt64
    package let address: UInt64
    package let fileSize: UInt64
    package let alignment: UInt64

    package init?(_ table: ELFPiece, at start: Int) {
        let (offset, address, size, alignment) = table.is64Bit ? (8, 16, 32, 48) : (4, 8, 16, 28)
        guard let type = table.single(start), let place = table.word(start + offset),
            let memory = table.word(start + address),
            let bytes = table.word(start + size), let step = table.word(start + alignment)
        else { return nil }
        (self.type, self.offset, self.address, fileSize, self.alignment) = (type, place, memory, bytes, step)
    }
}
