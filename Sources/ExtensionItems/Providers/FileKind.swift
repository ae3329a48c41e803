// FileKind: what stands at a file URL.

internal import Foundation
internal import Glibc

enum FileKind {
    case regular
    case directory
    /// A device, socket or pipe: never read, as the read may not end.
    case other

    /// Nil when the URL is no file's or nothing is there; links are followed.
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

/// The bytes of a file.
///
/// - Throws: an `NSItemProvider` error, `itemUnavailableError`, that names the file.
func contents(ofFile url: URL) throws(NSError) -> Data {
    func unavailable(_ reason: String, _ cause: (any Error)? = nil) -> NSError {
        NSItemProvider.error(.itemUnavailableError, "\(url.path): \(reason)", underlying: cause)
    }
    switch FileKind(of: url) {
    case nil: throw unavailable("there is no such file, or no permission to look.")
    case .directory: throw unavailable("a folder has no bytes; ask for its URL.")
    case .other: throw unavailable("is no regular file.")
    case .regular: break
    }
    do { return try Data(contentsOf: url) } catch { throw unavailable("could not be read.", error) }
}
