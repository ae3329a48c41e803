// MSMessageError: the errors of Messages.

import Foundation

/// The domain of the errors of a conversation. Its text is ours.
public let MSMessagesErrorDomain = "MSMessagesErrorDomain"

/// The domain of the errors of stickers. Its text is ours.
public let MSStickersErrorDomain = "MSStickersErrorDomain"

/// The codes of errors of both domains. The numbers are Apple's (header).
public enum MSMessageErrorCode: Int, Sendable {
    case unknown = -1
    case fileNotFound = 1
    case fileUnreadable = 2
    case improperFileType = 3
    case improperFileURL = 4
    case stickerFileImproperFileAttributes = 5
    case stickerFileImproperFileSize = 6
    case stickerFileImproperFileFormat = 7
    case urlExceedsMaxSize = 8
    case sendWithoutRecentInteraction = 9
    case sendWhileNotVisible = 10
    case apiUnavailableInPresentationContext = 11

    /// Returns the error of this code, which says why.
    func error(_ reason: String, domain: String = MSMessagesErrorDomain) -> NSError {
        NSError(domain: domain, code: rawValue, userInfo: [NSLocalizedDescriptionKey: reason])
    }

    /// Returns the error of a code that the host has answered with.
    static func error(answered code: Int) -> NSError {
        guard let known = MSMessageErrorCode(rawValue: code) else {
            return unknown.error("Messages answered with the code \(code)")
        }
        switch known {
        case .urlExceedsMaxSize: return known.error("the URL has more than 5,000 characters")
        case .sendWithoutRecentInteraction:
            return known.error("the person has not touched the app since it was opened, or has sent something")
        case .sendWhileNotVisible: return known.error("the app is not visible")
        case .apiUnavailableInPresentationContext:
            return known.error("this is not possible over a photo or the camera")
        default: return known.error("Messages does not take it")
        }
    }
}
