// LibraryFolders: where a dynamically linked program finds libraries outside of the system's folders.

internal import Glibc

/// The folders with Swift's runtime that a program names in itself (`DT_RUNPATH`, ld.so(8)), and those of `LD_LIBRARY_PATH`.
///
/// A program is its author's word, and must not open a folder by naming it: only one in which Swift's runtime lies is taken. What the
/// bundle or its app has is readable anyway.
enum LibraryFolders {
    static func folders(for attributes: SpawnAttributes) -> [String] {
        var found: [String] = []
        // Given by whoever launches, so it needs no proof.
        if let path = attributes.environment.first(where: { $0.hasPrefix("LD_LIBRARY_PATH=") }) {
            found += path.dropFirst(16).split(separator: ":").map(String.init).filter { isFolder($0) }
        }
        for program in programs(attributes.executable) {
            for folder in (try? RunPath.folders(of: program)) ?? [] where hasRuntime(folder) && !found.contains(folder) {
                found.append(folder)
            }
        }
        return found.filter { $0.hasPrefix("/") && !$0.hasPrefix("/usr/") }
    }

    private static let programsLookedAt = 16

    /// The program; or, of a script, what else can be executed beside it: it may start one of those, as for a debugger.
    private static func programs(_ executable: String) -> [String] {
        guard isScript(executable), let slash = executable.lastIndex(of: "/") else { return [executable] }
        let folder = executable[..<slash]
        let names = (try? listDirectory(folder.isEmpty ? "/" : String(folder), maximumCount: 1024)) ?? []
        return names.lazy.map { "\(folder)/\($0)" }.filter { access($0, X_OK) == 0 && !isFolder($0) }
            .prefix(programsLookedAt).map { $0 }
    }

    private static func isScript(_ path: String) -> Bool {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else { return false }
        let file = OwnedDescriptor(owning: raw)
        var start: [UInt8] = [0, 0]
        return read(file.raw, &start, 2) == 2 && start == Array("#!".utf8)
    }

    private static func hasRuntime(_ folder: String) -> Bool { access(folder + "/libswiftCore.so", R_OK) == 0 }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// The library folders that an ELF file names (elf(5)), read within bounds.
enum RunPath {
    /// With `$ORIGIN` put in; empty for a file that is no 64-bit ELF file of this byte order, or names none.
    static func folders(of path: String) throws(SystemError) -> [String] {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else { throw SystemError("open") }
        let file = ELFFile(OwnedDescriptor(owning: raw))
        let origin = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex).dropLast()
        guard let text = file.runPath else { return [] }
        return text.split(separator: ":").map { part in
            var folder = String(part)
            for name in ["${ORIGIN}", "$ORIGIN"] {
                if let range = folder.firstRange(of: name) { folder.replaceSubrange(range, with: origin) }
            }
            return folder
        }
    }
}

/// As much of an ELF file as it takes to find one string.
private struct ELFFile: ~Copyable {
    private let descriptor: OwnedDescriptor
    private static let headerLimit = 64
    private static let dynamicLimit = 64 * 1024
    private static let textLimit = 4096

    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    private func bytes(at offset: UInt64, _ count: Int) -> [UInt8]? {
        guard count > 0, offset < UInt64(Int64.max) - UInt64(count) else { return nil }
        var buffer = [UInt8](repeating: 0, count: count)
        let read = buffer.withUnsafeMutableBytes { pread(descriptor.raw, $0.baseAddress!, $0.count, off_t(offset)) }
        return read > 0 ? Array(buffer.prefix(read)) : nil
    }

    private static func number<Value: FixedWidthInteger>(_ bytes: [UInt8], _ offset: Int, _: Value.Type) -> Value? {
        guard offset >= 0, offset + MemoryLayout<Value>.size <= bytes.count else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }

    var runPath: String? {
        guard let header = bytes(at: 0, 64), header.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]),
            let tableOffset = Self.number(header, 32, UInt64.self), let entrySize = Self.number(header, 54, UInt16.self),
            let entryCount = Self.number(header, 56, UInt16.self), entrySize >= 56, entryCount <= Self.headerLimit,
            let table = bytes(at: tableOffset, Int(entrySize) * Int(entryCount))
        else { return nil }
        var loads: [(address: UInt64, offset: UInt64, size: UInt64)] = []
        var dynamic: [UInt8] = []
        for index in 0..<Int(entryCount) {
            let start = index * Int(entrySize)
            guard let type = Self.number(table, start, UInt32.self), let offset = Self.number(table, start + 8, UInt64.self),
                let address = Self.number(table, start + 16, UInt64.self), let size = Self.number(table, start + 32, UInt64.self)
            else { return nil }
            if type == 1 { loads.append((address, offset, size)) }
            if type == 2 { dynamic = bytes(at: offset, Int(min(size, UInt64(Self.dynamicLimit)))) ?? [] }
        }
        var strings: UInt64?
        var place: UInt64?
        for start in stride(from: 0, to: dynamic.count, by: 16) {
            guard let tag = Self.number(dynamic, start, UInt64.self), let value = Self.number(dynamic, start + 8, UInt64.self),
                tag != 0
            else { break }
            if tag == 5 { strings = value }  // DT_STRTAB
            if tag == 29 || (tag == 15 && place == nil) { place = value }  // DT_RUNPATH before DT_RPATH
        }
        guard let strings, let place, let load = loads.first(where: { $0.address <= strings && strings - $0.address < $0.size }),
            let text = bytes(at: (strings - load.address) &+ load.offset &+ place, Self.textLimit)
        else { return nil }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
}
