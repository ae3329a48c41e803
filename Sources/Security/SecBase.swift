// SecBase: statuses of the keychain, and their words.

public import CoreFoundationNames

public let errSecSuccess: OSStatus = 0
public let errSecUnimplemented: OSStatus = -4
public let errSecDiskFull: OSStatus = -34
public let errSecIO: OSStatus = -36
public let errSecOpWr: OSStatus = -49
public let errSecParam: OSStatus = -50
public let errSecWrPerm: OSStatus = -61
public let errSecAllocate: OSStatus = -108
public let errSecUserCanceled: OSStatus = -128
public let errSecBadReq: OSStatus = -909
public let errSecNotAvailable: OSStatus = -25291
public let errSecReadOnly: OSStatus = -25292
public let errSecAuthFailed: OSStatus = -25293
public let errSecNoSuchKeychain: OSStatus = -25294
public let errSecInvalidKeychain: OSStatus = -25295
public let errSecDuplicateKeychain: OSStatus = -25296
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecBufferTooSmall: OSStatus = -25301
public let errSecDataTooLarge: OSStatus = -25302
public let errSecNoSuchAttr: OSStatus = -25303
public let errSecInvalidItemRef: OSStatus = -25304
public let errSecNoSuchClass: OSStatus = -25306
public let errSecInteractionNotAllowed: OSStatus = -25308
public let errSecReadOnlyAttr: OSStatus = -25309
public let errSecInteractionRequired: OSStatus = -25315
public let errSecDecode: OSStatus = -26275
public let errSecInvalidEncoding: OSStatus = -67853
public let errSecInternal: OSStatus = -26276
public let errSecMissingEntitlement: OSStatus = -34018
public let errSecConversionError: OSStatus = -67594

/// Returns a sentence for a status; nil for one that the keychain here never has.
///
/// - Parameters:
///   - status: the status of a call.
///   - reserved: nil.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    switch status {
    case errSecSuccess: "No error."
    case errSecUnimplemented: "The function or operation is not implemented."
    case errSecDiskFull: "There is no room for the item."
    case errSecIO: "The keychain's file cannot be read or written."
    case errSecOpWr: "The file is open for writing already."
    case errSecParam: "A parameter is missing or not valid."
    case errSecWrPerm: "There is no permission to write."
    case errSecAllocate: "There is no memory."
    case errSecUserCanceled: "The user canceled the operation."
    case errSecBadReq: "The parameter or the state is not valid for the operation."
    case errSecNotAvailable: "No keychain is available."
    case errSecReadOnly: "The item is read-only."
    case errSecAuthFailed: "The authorization failed."
    case errSecNoSuchKeychain: "There is no such keychain."
    case errSecInvalidKeychain: "The keychain is not valid."
    case errSecDuplicateKeychain: "A keychain of that name exists."
    case errSecDuplicateItem: "The keychain has such an item already."
    case errSecItemNotFound: "The keychain has no such item."
    case errSecBufferTooSmall: "The buffer is too small."
    case errSecDataTooLarge: "The data is too large."
    case errSecNoSuchAttr: "There is no such attribute."
    case errSecInvalidItemRef: "The reference to an item is not valid."
    case errSecNoSuchClass: "There is no such class of items."
    case errSecInteractionNotAllowed: "No interaction with the user is allowed."
    case errSecReadOnlyAttr: "The attribute is read-only."
    case errSecInteractionRequired: "An interaction with the user is required."
    case errSecDecode: "The data cannot be decoded."
    case errSecInvalidEncoding: "The encoding is not valid."
    case errSecInternal: "An internal error occurred."
    case errSecMissingEntitlement: "A required entitlement is missing."
    case errSecConversionError: "A conversion failed."
    default: nil
    }
}
