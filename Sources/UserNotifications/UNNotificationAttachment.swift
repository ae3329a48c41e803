// UNNotificationAttachment: a file beside a notification.

public import Foundation
import UniformTypeIdentifiers

/// The domain of `UNError`.
public let UNErrorDomain = "UNErrorDomain"

/// An error of notifications.
public struct UNError: CustomNSError, Hashable, Sendable {
    /// Apple's numbers.
    public enum Code: Int, Sendable {
        case attachmentInvalidURL = 100
        case attachmentUnrecognizedType = 101
        case attachmentInvalidFileSize = 102
        case attachmentNotInDataStore = 103
        case attachmentMoveIntoDataStoreFailed = 104
        case attachmentCorrupt = 105
    }

    public let code: Code
    let reason: String

    init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    public static var errorDomain: String { UNErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: reason] }
}

/// A picture, sound or film beside a notification.
///
/// The file moves into the store of notifications, a folder of the extension's own; one of the bundle is copied
/// (documented). Apple documents the largest sizes: 5 MB for sounds, 10 MB for pictures, 50 MB for films. The store
/// deletes the file with this object, and at the latest when the request of a notification that has it ends.
open class UNNotificationAttachment: NSObject, @unchecked Sendable {  // its properties are constant
    public let identifier: String
    /// The file in the store.
    public let url: URL
    /// The uniform type identifier.
    public let type: String
    /// The file in the store; nil for a file that the host has lent.
    private let file: StoredFile?

    private struct Kind {
        let type: UTType
        let limit: Int
    }

    private static let kinds = [
        Kind(type: .audio, limit: 5_000_000), Kind(type: .image, limit: 10_000_000),
        Kind(type: .movie, limit: 50_000_000),
    ]

    /// Moves a file into the store.
    ///
    /// - Parameters:
    ///   - identifier: an empty one is replaced by a UUID.
    ///   - url: a file of the extension's own.
    ///   - options: the type under `UNNotificationAttachmentOptionsTypeHintKey`; nothing else has an effect.
    /// - Throws: `UNError`: `attachmentInvalidURL`, `attachmentUnrecognizedType`, `attachmentInvalidFileSize`;
    ///   `attachmentMoveIntoDataStoreFailed`, also if the store is full (200 MB in a process, ours).
    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        let attributes = url.isFileURL ? try? FileManager.default.attributesOfItem(atPath: url.path) : nil
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            FileManager.default.isReadableFile(atPath: url.path)
        else {
            throw UNError(.attachmentInvalidURL, "\(url) is not a readable file")
        }
        let hint = options?[UNNotificationAttachmentOptionsTypeHintKey] as? String
        guard let type = hint.flatMap({ UTType($0) }) ?? UTType(filenameExtension: url.pathExtension),
            let kind = Self.kinds.first(where: { type.conforms(to: $0.type) })
        else {
            throw UNError(
                .attachmentUnrecognizedType,
                "\(url.lastPathComponent) is no picture, sound or film by its name; give it an extension or a type hint"
            )
        }
        let size = attributes?[.size] as? Int ?? 0
        guard size > 0, size <= kind.limit else {
            throw UNError(
                .attachmentInvalidFileSize, "\(url.lastPathComponent) has \(size) bytes, and \(kind.limit) is the limit"
            )
        }
        self.identifier = identifier.isEmpty ? UUID().uuidString : identifier
        self.type = type.identifier
        let file = try AttachmentStore.shared.take(url, size: size)
        self.url = file.url
        self.file = file
    }

    /// An attachment of a notification that the host shows, with the file that it has lent.
    init(_ identifier: String, type: String, lentAt url: URL) {
        (self.identifier, self.type, self.url) = (identifier, type, url)
        file = nil
    }

    /// Deletes the file.
    func discard() { file?.remove() }
}

/// The key of an option: the type, if the name of the file does not say it.
public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
/// The key of an option about the thumbnail. It has no effect: nothing shows one.
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "UNNotificationAttachmentOptionsThumbnailHiddenKey"
/// The key of an option about the thumbnail. It has no effect: nothing shows one.
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
/// The key of an option about the thumbnail. It has no effect: nothing shows one.
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"
