// RPBroadcastHandler, RPBroadcastSampleHandler: the principal class of a broadcast's upload.

public import CoreMedia
public import ExtensionFoundation
public import Foundation
import Locks
import PointFrameworkKit

/// The kind of a sample. The numbers are from memory.
public enum RPSampleBufferType: Int, Sendable {
    /// A frame of the screen.
    case video = 1
    /// The sound of the application.
    case audioApp = 2
    /// The sound of the microphone.
    case audioMic = 3
}

/// The key of the orientation that a frame has as an attachment: a number of `CGImagePropertyOrientation`.
public let RPVideoSampleOrientationKey = "RPVideoSampleOrientationKey"
/// The key of the application's identifier in the dictionary of `broadcastAnnotated(withApplicationInfo:)`.
public let RPApplicationInfoBundleIdentifierKey = "RPApplicationInfoBundleIdentifierKey"

/// The base of the principal classes of a broadcast's upload.
open class RPBroadcastHandler: NSObject, NSExtensionRequestHandling {
    private let link = Mutex(Link())

    private struct Link {
        weak var session: PointSession?
    }

    /// Makes the object of a broadcast.
    public override init() {}

    /// Does nothing: the host begins the broadcast by a call.
    open func beginRequest(with context: NSExtensionContext) {}

    /// Tells the host something about the service, such as the number of viewers. The report of the host has the last
    /// dictionary, if it is a property list.
    ///
    /// - Parameter serviceInfo: the dictionary.
    open func updateServiceInfo(_ serviceInfo: [String: any NSCoding & NSObjectProtocol]) {
        broadcast?.update(serviceInfo: serviceInfo)
    }

    /// Changes the address at which the broadcast is seen. The report of the host has the last one.
    ///
    /// - Parameter broadcastURL: the address.
    open func updateBroadcast(_ broadcastURL: URL) { broadcast?.update(url: broadcastURL) }

    func adopt(_ session: PointSession) { link.withLock { $0.session = session } }

    /// The broadcast; nil after the request.
    var broadcast: Broadcast? { link.withLock { $0.session }.map { Broadcast.of($0) } }
}

/// The principal class of an upload that gets samples.
///
/// All methods are called one after the other, on a queue of the broadcast's.
open class RPBroadcastSampleHandler: RPBroadcastHandler {
    /// The broadcast begins.
    ///
    /// - Parameter setupInfo: the dictionary of the set-up; nil without one.
    open func broadcastStarted(withSetupInfo setupInfo: [String: NSObject]?) {}

    /// The person has paused the broadcast. No samples come until it is resumed.
    open func broadcastPaused() {}

    /// The person has resumed the broadcast.
    open func broadcastResumed() {}

    /// The person has finished the broadcast. The request completes when the method returns. It is not called after
    /// `finishBroadcastWithError(_:)` (ours).
    open func broadcastFinished() {}

    /// Another application is broadcast.
    ///
    /// - Parameter applicationInfo: the identifier under `RPApplicationInfoBundleIdentifierKey`.
    open func broadcastAnnotated(withApplicationInfo applicationInfo: [AnyHashable: Any]) {}

    /// Processes a sample. While it runs, the host sends one more frame, and loses the others.
    ///
    /// - Parameters:
    ///   - sampleBuffer: the sample.
    ///   - sampleBufferType: the kind.
    open func processSampleBuffer(_ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType) {}

    /// Ends the broadcast with an error, which the person sees. The first error counts. Afterwards no method is called.
    ///
    /// - Parameter error: the error.
    open func finishBroadcastWithError(_ error: any Error) { broadcast?.fail(error) }
}
