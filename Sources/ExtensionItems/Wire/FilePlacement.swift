// FilePlacement: the transport of an extension's returned files when there are more of them than descriptors.

internal import LinuxDescriptors

/// The places of returned files. The largest files pass as open descriptors.
///
/// If there are too few places, the last one is sealed memory with the bytes of the others, one after the other. These
/// are the smallest, and their sender may remove them like those that pass as descriptors.
struct FilePlacement {
    enum Place {
        /// An open file, by one descriptor for all values that name it.
        case passed(SharedDescriptor)
        /// A range of the bytes behind one descriptor.
        case shared(SharedDescriptor, Range<Int>)
    }

    private struct Name: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ file: OpenedFile) { (device, inode) = (file.status.device, file.status.inode) }
    }

    private var places: [Name: Place] = [:]

    /// Makes a placement without files.
    init() {}

    /// Makes one place for each file, even if it is listed repeatedly.
    ///
    /// A file beyond `WireLimits.sharedFiles` bytes, or one that cannot be read, has none.
    init(_ files: [OpenedFile], room: Int) {
        var known: Set<Name> = []
        let different = files.filter { known.insert(Name($0)).inserted }
        guard different.count > room else {
            for file in different { places[Name(file)] = .passed(file.descriptor) }
            return
        }
        guard room > 0 else { return }
        let bySize = different.sorted { $0.status.size > $1.status.size }
        for file in bySize.prefix(room - 1) { places[Name(file)] = .passed(file.descriptor) }
        share(bySize.dropFirst(room - 1).reversed())
    }

    subscript(file: OpenedFile) -> Place? { places[Name(file)] }

    /// Shares memory among the files, from the smallest on, as many as fit.
    private mutating func share(_ files: some Sequence<OpenedFile>) {
        var size = 0
        let fitting = files.prefix { file in
            size += file.status.size
            return size <= WireLimits.sharedFiles
        }
        size = fitting.reduce(0) { $0 + $1.status.size }
        guard let draft = try? MemoryDraft(size: max(size, 1)) else { return }
        var ranges: [Name: Range<Int>] = [:]
        var used = 0
        draft.withUnsafeMutableBytes { bytes in
            for file in fitting {
                let room = UnsafeMutableRawBufferPointer(
                    rebasing: bytes[used..<min(used + file.status.size, bytes.count)])
                guard let count = try? readFile(file.descriptor.raw, into: room) else { continue }
                ranges[Name(file)] = used..<used + count
                used += count
            }
        }
        guard let sealed = try? draft.seal(count: used) else { return }
        let shared = SharedDescriptor(sealed)
        for (name, range) in ranges { places[name] = .shared(shared, range) }
    }
}
