// TransferScript: the answers of a service that uses no network.

public import ExtensionPointKit

/// An answer to the attempts of a URL, in place of a server's.
public struct TransferAnswer: Codable, Sendable, Hashable {
    /// The URL that it answers.
    public var url: String
    /// The status; absent: the attempt fails before an answer.
    public var status: Int?
    public var headers: [TransferHeader]
    public var body: [UInt8]
    /// The strong entity tag of the body, with its quotes. With a tag the answer knows ranges: it continues a part of
    /// the same tag.
    public var tag: String?
    /// The number of bytes of the body after which the connection is cut; absent: it is not.
    public var cut: Int?
    /// Seconds until the answer, and from there to its end.
    public var delay, duration: Double
    /// The number of attempts that get it; absent: all.
    public var times: Int?

    /// Makes an answer; each value is described at its property.
    public init(
        _ url: String, status: Int? = 200, headers: [TransferHeader] = [], body: [UInt8] = [], tag: String? = nil,
        cut: Int? = nil, delay: Double = 0, duration: Double = 0, times: Int? = nil
    ) {
        (self.url, self.status, self.headers, self.body) = (url, status, headers, body)
        (self.tag, self.cut, self.delay, self.duration, self.times) = (tag, cut, delay, duration, times)
    }
}

/// Sets the answers of a service that was started without a network. Of several for one URL the first that is not used
/// up counts.
public struct AnswerTransfers: PointMessage {
    public static let name = "transfers.answer"
    public var answers: [TransferAnswer]
    /// Makes the call.
    public init(_ answers: [TransferAnswer]) { self.answers = answers }
}

/// Waits until nothing of an app is left: no task runs, and every event was acknowledged or has reached nobody.
public struct AwaitTransfers: PointMessage {
    public static let name = "transfers.await"
    /// The identifier of an extension of the app, or of the app itself.
    public var client: String
    /// Makes the call.
    public init(of client: String) { self.client = client }
}
