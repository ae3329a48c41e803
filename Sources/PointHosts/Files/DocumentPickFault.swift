// DocumentPickFault: the reasons why a host does not take the document that a picker gives it.

import Glibc
import LinuxDescriptors

/// A reason why the choice of a picker is refused. Its request is cancelled with the message.
public enum DocumentPickFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The document is not below `documentStorageURL` (documented).
    case outsideStorage(String)
    /// A part of the path is a symbolic link.
    case link(String)
    /// There is no document at the URL.
    case missing(String)
    /// The URL leads to a folder, a device, a pipe or a socket.
    case notAFile(String)
    /// The extension has sent no open document: it cannot read it, or it is no regular file.
    case unreadable(String)
    /// The document has this number of bytes.
    case tooLarge(Int)
    /// The document cannot be copied, for the reason of the system.
    case notCopied(String)

    /// The name of the reason, such as `outsideStorage`.
    public var name: String {
        switch self {
        case .outsideStorage: "outsideStorage"
        case .link: "link"
        case .missing: "missing"
        case .notAFile: "notAFile"
        case .unreadable: "unreadable"
        case .tooLarge: "tooLarge"
        case .notCopied: "notCopied"
        }
    }

    /// The reason in words, without a full stop.
    public var description: String {
        switch self {
        case .outsideStorage(let url): "\(url) is not inside documentStorageURL"
        case .link(let url): "\(url) leads over a symbolic link"
        case .missing(let url): "there is no document at \(url)"
        case .notAFile(let url): "\(url) is not a regular file"
        case .unreadable(let url): "\(url) is not a regular file that the picker can read"
        case .tooLarge(let size): "the document has \(size) bytes, which is above the limit"
        case .notCopied(let reason): "the document cannot be copied: \(reason)"
        }
    }

    /// Makes the reason of a failed open(2).
    init(_ error: SystemError, at url: String) {
        switch error.code {
        case ELOOP: self = .link(url)
        case ENOENT: self = .missing(url)
        case EXDEV, EINVAL: self = .outsideStorage(url)
        case ENOTDIR: self = .notAFile(url)
        default: self = .unreadable(url)
        }
    }
}
