// NamedFile: a file that another process named by its URL, with the file itself, whatever becomes of its name.

internal import Foundation
internal import LinuxDescriptors
internal import Locks

/// A file with the URL by which another process named it.
///
/// Bytes and copies come from the open descriptor. The owner may have removed the file meanwhile, and the path may lead
/// to another file in this process. This process never reads by the path: a confined extension could name any file of
/// the host's user.
///
/// The URL of an extension's answer is given unchanged. The URL of a host's attachment must be one that its reader can
/// open, as on Apple's systems. If the path does not lead to the same file here, or the owner may remove the file, the
/// reader gets the URL of a copy.
final class NamedFile: Sendable {
    /// The open file; nil for one that came as its bytes, or as a name alone.
    let passed: OpenedFile?
    private let bytes: Data?
    private let kept: Handover<NSURL>
    /// Whether the reader must be able to open the URL.
    let isToBeOpened: Bool
    /// Whether a load handler made the file. The owner may remove such a file at any time.
    let isMade: Bool
    private let isCounted: Bool

    /// The limit of files that are held open for a process's returned items; each is a descriptor, and a process has
    /// few of them.
    private static let mostHeld = 256
    private static let held = Atomic(0)

    var url: NSURL { kept.value }

    /// - Throws: `itemUnavailableError`, with the name, if the file itself did not come.
    var file: OpenedFile {
        get throws(NSError) {
            if let passed { return passed }
            if let bytes { return try OpenedFile(copying: bytes, name: url.lastPathComponent) }
            throw NSItemProvider.error(
                .itemUnavailableError,
                "The extension returned \((url as URL).path) by its name only, and this process does not read it with its own rights. "
                    + "Return a file that the extension can open, or bytes.")
        }
    }

    /// Returns a copy of all bytes.
    ///
    /// - Throws: as `file` does, and for more bytes than travel as data.
    func contents() throws -> Data {
        if let bytes { return Data(bytes) }
        return try file.contents()
    }

    /// Opens the file at a URL, if it can be read.
    init?(opening url: URL, isMade: Bool = false) {
        guard url.isFileURL, let file = try? OpenedFile(url, inPlace: false) else { return nil }
        (passed, bytes, kept, isCounted) = (file, nil, Handover(value: url as NSURL), false)
        (isToBeOpened, self.isMade) = (false, isMade)
    }

    /// Makes the file of a host's attachment.
    init(loaded file: OpenedFile, url: NSURL, isMade: Bool) {
        (passed, bytes, kept, isCounted) = (file, nil, Handover(value: url), false)
        (isToBeOpened, self.isMade) = (true, isMade)
    }

    /// Makes a file that came as its bytes. The bytes are a part of memory that others share, and hold no descriptor.
    init(bytes: Data, url: NSURL) {
        (passed, self.bytes, kept, isCounted) = (nil, bytes, Handover(value: url), false)
        (isToBeOpened, isMade) = (false, false)
    }

    /// Makes a received file, with its descriptor if that came too.
    ///
    /// Beyond the limit of open files only the name is stored.
    init(received file: OpenedFile?, url: NSURL) {
        kept = Handover(value: url)
        (bytes, isToBeOpened, isMade) = (nil, false, false)
        guard let file, Self.held.add(1, ordering: .relaxed).newValue <= Self.mostHeld else {
            if file != nil { Self.held.subtract(1, ordering: .relaxed) }
            (passed, isCounted) = (nil, false)
            return
        }
        (passed, isCounted) = (file, true)
    }

    deinit { if isCounted { Self.held.subtract(1, ordering: .relaxed) } }
}
