// FileFailure+Errors: the failure that an error of a provider means.

import ExtensionProtocol
import Foundation
import Glibc
import LinuxDescriptors
import PointMessages

extension FileFailure {
    /// The failure that an error of a call means.
    init(_ error: any Error) {
        switch error {
        case let failure as FileFailure: self = failure
        case let error as ExtensionHostError: self.init(error)
        case is CancellationError: self.init(.cancelled, "the call was cancelled")
        case let error as SystemError: self.init(system: error.code, "\(error)")
        default: self.init(foreign: error as NSError)
        }
    }

    private init(_ error: ExtensionHostError) {
        let code: Code =
            switch error.code {
            case .timedOut: .timedOut
            case .notImplemented, .notSimulated, .frameworkMissing: .notSupported
            case .interrupted, .contextFinished, .noSuchRequest, .connectionLost, .noSuchExtension: .providerEnded
            case .notPermitted: .notPermitted
            default: .failed
            }
        self.init(code, "\(error)")
    }

    private init(foreign error: NSError) {
        let reason = error.localizedDescription
        switch (error.domain, error.code) {
        case (FileService.errorDomain, let code): self.init(Self.provider[code] ?? .failed, reason)
        case (NSCocoaErrorDomain, 3072): self.init(.cancelled, reason)
        case (NSCocoaErrorDomain, 4), (NSCocoaErrorDomain, 260): self.init(.noSuchItem, reason)
        case (NSCocoaErrorDomain, 516): self.init(.filenameCollision, reason)
        case (NSCocoaErrorDomain, 257), (NSCocoaErrorDomain, 513): self.init(.notPermitted, reason)
        case (NSCocoaErrorDomain, 640): self.init(.insufficientQuota, reason)
        case (NSCocoaErrorDomain, 3328): self.init(.notSupported, reason)
        case (NSPOSIXErrorDomain, let code): self.init(system: Int32(clamping: code), reason)
        default: self.init(.failed, "\(reason) (\(error.domain) \(error.code))")
        }
    }

    /// The failures of `NSFileProviderErrorDomain`, by their numbers.
    private static let provider: [Int: Code] = [
        -1000: .notAuthenticated, -1001: .filenameCollision, -1003: .insufficientQuota, -1004: .serverUnreachable,
        -1005: .noSuchItem, -1006: .notPermitted, -1007: .directoryNotEmpty, -2005: .serverUnreachable,
        -2009: .noSuchItem, -2012: .serverUnreachable,
    ]

    /// Whether an error says that an anchor or a page is not known any more.
    static func isExpired(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == FileService.errorDomain && error.code == -1002
    }

    init(system code: Int32, _ reason: String) {
        let found: Code =
            switch code {
            case ENOENT: .noSuchItem
            case EEXIST: .filenameCollision
            case EACCES, EPERM, EROFS: .notPermitted
            case ENOSPC, EDQUOT: .noSpace
            case ETIMEDOUT: .timedOut
            case EISDIR: .isFolder
            case ENOTDIR: .isNoFolder
            case ENOTEMPTY: .directoryNotEmpty
            case EHOSTUNREACH, ENETUNREACH: .serverUnreachable
            default: .failed
            }
        self.init(found, reason)
    }
}
