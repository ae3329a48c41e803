// SFError: the errors of content blockers.

public import Foundation

/// The domain of the errors of this framework.
public let SFErrorDomain = "SFErrorDomain"

/// An error of this framework. The numbers are Apple's (header).
public struct SFError: Error, Hashable, Sendable, CustomNSError {
    public enum Code: Int, Sendable {
        /// There is no such extension, or it belongs to another app.
        case noExtensionFound = 1
        /// The extension returned no list that can be loaded.
        case noAttachmentFound = 2
        /// The extension ended before it returned its list.
        case loadingInterrupted = 3
    }

    public static let noExtensionFound = Code.noExtensionFound
    public static let noAttachmentFound = Code.noAttachmentFound
    public static let loadingInterrupted = Code.loadingInterrupted

    public static var errorDomain: String { SFErrorDomain }

    public let code: Code
    public var errorCode: Int { code.rawValue }

    public init(_ code: Code) { self.code = code }
}

/// The name of the codes in Objective-C.
public typealias SFErrorCode = SFError.Code
