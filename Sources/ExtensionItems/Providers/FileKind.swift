// FileKind: the kind of the file at a URL.

internal import Foundation
internal import Glibc

enum FileKind {
    case regular
    case directory
    /// A device, socket or pipe, which is never read, as the read may not end.
    case other

    /// Finds the kind; nil if the URL is no file's or nothing is there. Links are followed.
    init?(of url: URL) {
        var status = stat()
        guard url.isFileURL, url.withUnsafeFileSystemRepresentation({ $0.map { stat($0, &status) } ?? -1 }) == 0 else {
            return nil
        }
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            default: .other
            }
    }
}

/// Returns the bytes of a file.
///
/// - Throws: an `NSItemProvider` error, `itemUnavailableError`, that names the file.
func contents(ofFile url: URL) throws(NSError) -> Data {
    let file = try OpenedFile(url, inPlace: false)
    do { return try file.contents() } catch {
        throw NSItemProvider.error(.itemUnavailableError, "\(url.path): could not be read.", underlying: error)
    }
}
