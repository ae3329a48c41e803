// UNNotificationAttachment: a file beside a notification.

import AppGroups
import ExtensionPointKit
public import Foundation
import Glibc
import LinuxDescriptors
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
/// The file moves into the store of notifications, a folder of the extension's own. Apple documents the largest sizes: 5
/// MB for sounds, 10 MB for pictures, 50 MB for films.
open class UNNotificationAttachment: NSObject, @unchecked Sendable {  // its properties are constant
    public let identifier: String
    /// The file in the store.
    public let url: URL
    /// The uniform type identifier.
    public let type: String

    private struct Kind {
        let type: UTType
        let limit: Int
    }

    private static let kinds = [
        Kind(type: .audio, limit: 5_000_000), Kind(type: .image, limit: 10_000_000),
        Kind(type: .movie, limit: 50_000_000),
    ]

    /// The key of an option: the type, if the name of the file does not say it.
    public static let typeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"

    /// Moves a file into the store.
    ///
    /// - Parameters:
    ///   - identifier: an empty one is replaced by a UUID.
    ///   - url: a file of the extension's own.
    ///   - options: the type under `UNNotificationAttachmentOptionsTypeHintKey`; nothing else has an effect.
    /// - Throws: `UNError`: `attachmentInvalidURL`, `attachmentUnrecognizedType`, `attachmentInvalidFileSize`,
    ///   `attachmentMoveIntoDataStoreFailed`.
    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        guard url.isFileURL, FileManager.default.isReadableFile(atPath: url.path) else {
            throw UNError(.attachmentInvalidURL, "\(url) is not a readable file")
        }
        let hint = options?[Self.typeHintKey] as? String
        guard let type = hint.flatMap({ UTType($0) }) ?? UTType(filenameExtension: url.pathExtension),
            let kind = Self.kinds.first(where: { type.conforms(to: $0.type) })
        else {
            throw UNError(
                .attachmentUnrecognizedType,
                "\(url.lastPathComponent) is no picture, sound or film by its name; give it an extension or a type hint"
            )
        }
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        guard let size, size > 0, size <= kind.limit else {
            throw UNError(
                .attachmentInvalidFileSize,
                "\(url.lastPathComponent) has \(size ?? 0) bytes, and \(kind.limit) is the limit")
        }
        self.identifier = identifier.isEmpty ? UUID().uuidString : identifier
        self.type = type.identifier
        let store = FileManager.default.temporaryDirectory.appendingPathComponent(
            "UserNotifications", isDirectory: true
        )
        .appendingPathComponent(UUID().uuidString, isDirectory: true)
        self.url = store.appendingPathComponent(url.lastPathComponent)
        do {
            try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
            try FileManager.default.moveItem(at: url, to: self.url)
        } catch {
            throw UNError(
                .attachmentMoveIntoDataStoreFailed, "\(url.lastPathComponent) cannot move into the store: \(error)")
        }
    }
}

/// The key of an attachment's type.
public let UNNotificationAttachmentOptionsTypeHintKey = UNNotificationAttachment.typeHintKey
