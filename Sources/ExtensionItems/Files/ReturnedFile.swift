// ReturnedFile: a file that an extension returned by its URL, with the file itself, whatever becomes of its name.

internal import Foundation
internal import LinuxSystem
internal import Synchronization

/// To whoever asks for a URL it is the URL; bytes and copies come from the open file. The extension may have removed it meanwhile, and
/// what is under its name for the host need not be the file that the extension could read.
final class ReturnedFile: Sendable {
    let file: OpenedFile
    private let kept: Handover<NSURL>
    private let isCounted: Bool

    /// So many are held open by what a process was given back; each is a descriptor, and a process has few of them.
    private static let mostHeld = 256
    private static let held = Atomic(0)

    var url: NSURL { kept.value }

    /// The file at a URL, when it is one that can be read.
    init?(opening url: URL) {
        guard url.isFileURL, let file = try? OpenedFile(url, inPlace: false) else { return nil }
        (self.file, kept, isCounted) = (file, Handover(value: url as NSURL), false)
    }

    /// One that came; nil when enough are held, and then the URL alone counts.
    init?(received file: OpenedFile, url: NSURL) {
        guard Self.held.add(1, ordering: .relaxed).newValue <= Self.mostHeld else {
            Self.held.subtract(1, ordering: .relaxed)
            return nil
        }
        (self.file, kept, isCounted) = (file, Handover(value: url), true)
    }

    deinit { if isCounted { Self.held.subtract(1, ordering: .relaxed) } }
}
