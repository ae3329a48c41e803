// LibraryFolders: the folders outside of the system's in which a dynamically linked program finds libraries.

internal import Glibc

/// The folders with Swift's runtime that a program names in itself (`DT_RUNPATH`, ld.so(8)), and those of
/// `LD_LIBRARY_PATH`.
///
/// The author controls the program, and must not open a folder by naming it. Only a folder that holds Swift's runtime
/// is accepted. It must belong to root or to the program's user, not everybody may write to it, and no path to it leads
/// through the containers. The contents of the bundle and its app are readable anyway.
enum LibraryFolders {
    /// Returns the folders, each as it was opened and checked.
    ///
    /// A folder that fails a check is omitted: the program's linker then says which library it misses.
    ///
    /// - Parameter readable: the files that the program may read. The program is read through them, as it was opened,
    ///   and not by its name.
    static func folders(
        for attributes: SpawnAttributes, in readable: [ViewFile], outside containers: FolderIdentity?
    ) -> [ViewFile] {
        var found: [ViewFile] = []
        func add(_ path: some StringProtocol, where isGood: (ViewFile) -> Bool) {
            guard path.hasPrefix("/"), !path.hasPrefix("/usr/"), !found.contains(where: { $0.path == path }),
                let folder = try? ViewFile(String(path), outside: containers), folder.isFolder, isGood(folder)
            else { return }
            found.append(folder)
        }
        // The launcher gives this path, so it needs no proof.
        if let path = attributes.environment.first(where: { $0.hasPrefix("LD_LIBRARY_PATH=") }) {
            for part in path.dropFirst(16).split(separator: ":") { add(part) { _ in true } }
        }
        let user = attributes.identity?.uid ?? geteuid()
        for path in runPaths(of: attributes.executable, in: readable) {
            add(path) { !$0.isForeign(to: user) && hasRuntime($0) }
        }
        return found
    }

    private static let programsLookedAt = 16

    /// Returns the run paths of the program, or, for a script, of the other executables beside it.
    ///
    /// A script may start one of those, as for a debugger.
    private static func runPaths(of executable: String, in readable: [ViewFile]) -> [String] {
        guard let slash = executable.lastIndex(of: "/") else { return [] }
        let origin = String(executable[..<slash])
        // For a program without a bundle, the file itself is listed.
        if let file = readable.first(where: { $0.path == executable }), let program = try? file.read() {
            return runPaths(ELFFile(program), origin)
        }
        guard let bundle = readable.first(where: { executable.hasPrefix($0.path + "/") }),
            let folder = origin == bundle.path
                ? bundle : try? bundle.file(String(origin.dropFirst(bundle.path.count + 1))),
            let program = try? folder.read(String(executable[slash...].dropFirst()))
        else { return [] }
        guard isScript(program) else { return runPaths(ELFFile(program), origin) }
        var paths: [String] = []
        var count = 0
        for name in (try? folder.names(maximumCount: 1024)) ?? [] where count < programsLookedAt {
            guard let file = try? folder.file(name), file.facts.isRegularFile, file.facts.isExecutable,
                let program = try? file.read()
            else { continue }
            count += 1
            paths += runPaths(ELFFile(program), origin)
        }
        return paths
    }

    /// Returns the run paths with `$ORIGIN` replaced; empty for a file that names none, or is no 64-bit ELF file of
    /// this byte order.
    private static func runPaths(_ file: borrowing ELFFile, _ origin: String) -> [String] {
        guard let text = file.runPath else { return [] }
        return text.split(separator: ":").map { part in
            guard let dollar = part.utf8.firstIndex(of: UInt8(ascii: "$")),
                let name = ["${ORIGIN}", "$ORIGIN"].first(where: { part[dollar...].hasPrefix($0) })
            else { return String(part) }
            return "\(part[..<dollar])\(origin)\(part[dollar...].dropFirst(name.count))"
        }
    }

    private static func isScript(_ file: borrowing OwnedDescriptor) -> Bool {
        var start: [UInt8] = [0, 0]
        return pread(file.raw, &start, 2, 0) == 2 && start == Array("#!".utf8)
    }

    private static func hasRuntime(_ folder: ViewFile) -> Bool {
        (try? folder.file("libswiftCore.so"))?.facts.isRegularFile ?? false
    }
}

/// The part of an ELF file that is needed to find one string.
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
            let tableOffset = Self.number(header, 32, UInt64.self),
            let entrySize = Self.number(header, 54, UInt16.self),
            let entryCount = Self.number(header, 56, UInt16.self), entrySize >= 56, entryCount <= Self.headerLimit,
            let table = bytes(at: tableOffset, Int(entrySize) * Int(entryCount))
        else { return nil }
        var loads: [(address: UInt64, offset: UInt64, size: UInt64)] = []
        var dynamic: [UInt8] = []
        for index in 0..<Int(entryCount) {
            let start = index * Int(entrySize)
            guard let type = Self.number(table, start, UInt32.self),
                let offset = Self.number(table, start + 8, UInt64.self),
                let address = Self.number(table, start + 16, UInt64.self),
                let size = Self.number(table, start + 32, UInt64.self)
            else { return nil }
            if type == 1 { loads.append((address, offset, size)) }
            if type == 2 { dynamic = bytes(at: offset, Int(min(size, UInt64(Self.dynamicLimit)))) ?? [] }
        }
        var strings: UInt64?
        var place: UInt64?
        for start in stride(from: 0, to: dynamic.count, by: 16) {
            guard let tag = Self.number(dynamic, start, UInt64.self),
                let value = Self.number(dynamic, start + 8, UInt64.self),
                tag != 0
            else { break }
            if tag == 5 { strings = value }  // DT_STRTAB
            if tag == 29 || (tag == 15 && place == nil) { place = value }  // DT_RUNPATH before DT_RPATH
        }
        guard let strings, let place,
            let load = loads.first(where: { $0.address <= strings && strings - $0.address < $0.size }),
            let text = bytes(at: (strings - load.address) &+ load.offset &+ place, Self.textLimit)
        else { return nil }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
}
