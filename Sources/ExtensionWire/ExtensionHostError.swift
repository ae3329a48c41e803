// ExtensionHostError: the one error people meet: what happened, why, and what to do about it.

/// An error of the daemon or of a kit. The wire carries code and
/// message; with the domain, which is always `ExtensionHostError.domain`, they are what an `NSError` needs.
public struct ExtensionHostError: Error, Sendable, Hashable, WireStructure, CustomStringConvertible {
    public static let domain = "org.exthost.ExtensionHost"

    /// Stable numbers: a code is never reused. `docs/errors.md` explains each.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        case unrecognized = 0
        case protocolViolation = 1
        case versionMismatch = 2
        case notPermitted = 3
        case noSuchExtension = 4
        case noSuchRequest = 5
        case noSuchHost = 6
        case noDaemon = 7
        case connectionLost = 8
        case invalidArgument = 9
        case quotaExceeded = 10
        case notSimulated = 11
        case contextFinished = 12
        case bundleDisabled = 13
        case internalError = 14
        case launchFailed = 15
        case interrupted = 16
        case timedOut = 17
        case payloadTooLarge = 18
        case itemUnavailable = 19
        case noPrincipalClass = 20
        case notElected = 21
        case stateUnavailable = 22
        case ruleMismatch = 23
        case breakerOpen = 24
        case notAvailableToExtensions = 25
    }

    public var code: Code
    /// What happened and why, in one sentence.
    public var message: String
    /// What the reader can do about it. Nil only in an error that a peer sent without.
    public var remedy: String?
    /// The failure underneath, as text.
    public var cause: String?

    /// `remedy` where there is something better to say than the code's own.
    public init(_ code: Code, _ message: String, remedy: String? = nil, cause: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy ?? code.remedy
        self.cause = cause
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        code = Code(rawValue: try fields.value(.code)) ?? .unrecognized
        message = try fields.value(.message)
        remedy = try fields.optional(.remedy)
        cause = try fields.optional(.cause)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.code, code.rawValue)
        fields.set(.message, message)
        fields.set(.remedy, remedy)
        fields.set(.cause, cause)
    }

    public var description: String {
        var text = message
        if let cause { text += ": \(cause)" }
        if let remedy { text += ". \(remedy)" }
        return text
    }
}
