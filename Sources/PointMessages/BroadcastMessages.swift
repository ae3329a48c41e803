// BroadcastMessages: the calls of a broadcast's upload and of its set-up.

public import ExtensionPointKit
public import PropertyListCoding

/// The error with which an extension ends its broadcast.
public struct BroadcastFailure: Codable, Sendable, Hashable {
    /// The most bytes of a text.
    public static let longestText = 4096
    /// The most bytes of a domain.
    public static let longestDomain = 256

    public var domain: String
    public var code: Int
    public var text: String

    public init(domain: String, code: Int, text: String) {
        self.domain = Self.cut(domain, to: Self.longestDomain)
        self.code = code
        self.text = Self.cut(text, to: Self.longestText)
    }

    /// Cuts a text between two scalars. One character may have any number of them.
    private static func cut(_ text: String, to bytes: Int) -> String {
        guard
            var end = text.utf8.index(text.startIndex, offsetBy: bytes, limitedBy: text.endIndex), end < text.endIndex
        else { return text }
        while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
        return String(text.unicodeScalars[..<end])
    }
}

/// The words of an extension about its broadcast, as of the time of a reply.
public struct BroadcastWords: Codable, Sendable, Hashable {
    /// The most bytes of an address, also of a set-up's.
    public static let longestURL = 8192
    /// The most bytes of an encoded dictionary, also of a set-up's.
    public static let largestInfo = 1 << 16

    /// Whether a dictionary has at most `largestInfo` bytes.
    public static func hasRoom(for info: PropertyList) -> Bool {
        (try? info.encodeBinary()).map { $0.count <= largestInfo } ?? false
    }

    /// The error of `finishBroadcastWithError(_:)`; the first one counts.
    public var failure: BroadcastFailure?
    /// The last dictionary of `updateServiceInfo(_:)`.
    public var serviceInfo: PointValue?
    /// The last address of `updateBroadcast(_:)`.
    public var url: String?

    public init(failure: BroadcastFailure? = nil, serviceInfo: PointValue? = nil, url: String? = nil) {
        (self.failure, self.serviceInfo, self.url) = (failure, serviceInfo, url)
    }
}

/// Begins a broadcast: `broadcastStarted(withSetupInfo:)`. The samples then travel as entries of the stream.
public struct StartBroadcast: PointMessage {
    public static let name = "broadcast.started"
    public typealias Reply = BroadcastWords
    /// A dictionary of the set-up; absent: there is none.
    public var setupInfo: PointValue?
    public var stream: PointStreamOffer

    public init(setupInfo: PointValue?, stream: PointStreamOffer) {
        (self.setupInfo, self.stream) = (setupInfo, stream)
    }
}

/// Pauses the broadcast after so many samples: `broadcastPaused()`.
public struct PauseBroadcast: PointMessage {
    public static let name = "broadcast.paused"
    public typealias Reply = BroadcastWords
    /// The number of samples that were sent before.
    public var samples: Int
    public init(samples: Int) { self.samples = samples }
}

/// Resumes the broadcast: `broadcastResumed()`.
public struct ResumeBroadcast: PointMessage {
    public static let name = "broadcast.resumed"
    public typealias Reply = BroadcastWords
    /// The number of samples that were sent before.
    public var samples: Int
    public init(samples: Int) { self.samples = samples }
}

/// Names the application that is broadcast: `broadcastAnnotated(withApplicationInfo:)`.
public struct AnnotateBroadcast: PointMessage {
    public static let name = "broadcast.annotated"
    public typealias Reply = BroadcastWords
    /// The number of samples that were sent before.
    public var samples: Int
    /// A dictionary.
    public var application: PointValue
    public init(samples: Int, application: PointValue) { (self.samples, self.application) = (samples, application) }
}

/// Waits until the extension has processed so many samples.
public struct SettleBroadcast: PointMessage {
    public static let name = "broadcast.settle"
    public typealias Reply = BroadcastWords
    /// The number of samples that were sent before.
    public var samples: Int
    public init(samples: Int) { self.samples = samples }
}

/// Finishes the broadcast: `broadcastFinished()`.
public struct FinishBroadcast: PointMessage {
    public static let name = "broadcast.finished"
    public typealias Reply = BroadcastWords
    /// The number of samples that were sent before.
    public var samples: Int
    public init(samples: Int) { self.samples = samples }
}

/// The host's last call. The framework completes the request after it.
public struct EndBroadcast: PointMessage {
    public static let name = "broadcast.end"
    public typealias Reply = BroadcastWords
    public init() {}
}

/// The extension's wish to end its broadcast with an error.
public struct FailBroadcast: PointMessage {
    public static let name = "broadcast.finishWithError"
    public var failure: BroadcastFailure
    public init(_ failure: BroadcastFailure) { self.failure = failure }
}

/// The choice of a set-up: the address at which the broadcast is seen, and a dictionary for the upload.
public struct CompleteSetup: PointMessage {
    public static let name = "broadcast.completeSetup"
    public var url: String
    /// A dictionary; absent: there is none.
    public var setupInfo: PointValue?
    public init(url: String, setupInfo: PointValue?) { (self.url, self.setupInfo) = (url, setupInfo) }
}

/// Asks for the application that will be broadcast.
public struct LoadBroadcastingApplication: PointMessage {
    public static let name = "broadcast.loadBroadcastingApplicationInfo"

    /// The application.
    public struct Reply: Codable, Sendable, Hashable {
        public var identifier: String
        public var displayName: String
        /// The bytes of an image file; absent: there is none.
        public var icon: [UInt8]?
        public init(identifier: String, displayName: String, icon: [UInt8]?) {
            (self.identifier, self.displayName, self.icon) = (identifier, displayName, icon)
        }
    }

    public init() {}
}
