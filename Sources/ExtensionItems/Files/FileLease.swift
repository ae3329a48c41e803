// FileLease: access to another process's file until it is closed.

public import Foundation

/// Access to a file in place, or to a copy of it (spec 1.6). Safe to use from any thread.
///
/// The copy is removed when the lease is closed or released; the file in place stays.
public final class FileLease: Sendable {
    /// The file, or its copy.
    public let url: URL
    /// Whether `url` is the owner's own file: the owner sees what is written there.
    public let isInPlace: Bool
    private let copy: TemporaryItemFile?

    init(inPlace url: URL) {
        self.url = url
        isInPlace = true
        copy = nil
    }

    init(copy: TemporaryItemFile) {
        url = copy.url
        isInPlace = false
        self.copy = copy
    }

    /// Ends the access; a second call does nothing.
    public func close() { copy?.remove() }
}
