// NSExtensionContext+Broadcast: the end of a broadcast's set-up.

import AppGroups
public import ExtensionFoundation
public import Foundation
import PointFrameworkKit
import PointMessages
public import UIKit

/// The settings of clips, which no broadcast here makes.
open class RPBroadcastConfiguration: NSObject, @unchecked Sendable {  // as on Apple's systems, one thread uses it
    /// The duration of a clip in seconds. It has no effect: there are no clips.
    open var clipDuration: TimeInterval = 5
    /// The settings of the encoder. They have no effect: there is none.
    open var videoCompressionProperties: [String: any NSCoding & NSObjectProtocol]?

    /// Makes the usual settings.
    public override init() {}
}

extension NSExtensionContext {
    /// Ends the set-up: the host starts the upload with the dictionary.
    ///
    /// A dictionary that is no property list of at most 64 KiB ends the set-up with an error. So does an address of
    /// more than 8 KiB.
    ///
    /// - Parameters:
    ///   - broadcastURL: the address at which the broadcast is seen.
    ///   - setupInfo: a dictionary for `broadcastStarted(withSetupInfo:)`.
    public func completeRequest(
        withBroadcast broadcastURL: URL, setupInfo: [String: any NSCoding & NSObjectProtocol]?
    ) {
        let message: CompleteSetup
        guard broadcastURL.absoluteString.utf8.count <= BroadcastWords.longestURL else {
            reportFault("the address of completeRequest(withBroadcast:setupInfo:) has more than 8 KiB")
            cancelRequest(withError: RPRecordingError(.broadcastSetupFailed))
            return
        }
        do {
            message = CompleteSetup(
                url: broadcastURL.absoluteString, setupInfo: try setupInfo.map { PointValue(try propertyList($0)) })
        } catch {
            reportFault("the setupInfo of completeRequest(withBroadcast:setupInfo:) is no property list: \(error)")
            cancelRequest(withError: RPRecordingError(.broadcastSetupFailed))
            return
        }
        guard message.setupInfo.map({ BroadcastWords.hasRoom(for: $0.plist) }) ?? true else {
            reportFault("the setupInfo of completeRequest(withBroadcast:setupInfo:) has more than 64 KiB")
            cancelRequest(withError: RPRecordingError(.broadcastSetupFailed))
            return
        }
        guard let session = PointSession.of(self) else { return }
        session.send(message) { [weak self] answer in
            switch answer {
            case .success: self?.completeRequest(returningItems: [])
            case .failure(let error): self?.cancelRequest(withError: error)
            }
        }
    }

    /// Does what `completeRequest(withBroadcast:setupInfo:)` does. The settings have no effect.
    ///
    /// - Parameters:
    ///   - broadcastURL: the address at which the broadcast is seen.
    ///   - broadcastConfiguration: the settings of clips.
    ///   - setupInfo: a dictionary for the upload.
    public func completeRequest(
        withBroadcast broadcastURL: URL, broadcastConfiguration: RPBroadcastConfiguration,
        setupInfo: [String: any NSCoding & NSObjectProtocol]?
    ) { completeRequest(withBroadcast: broadcastURL, setupInfo: setupInfo) }

    /// Asks the host for the application that will be broadcast.
    ///
    /// - Parameter completion: called once, on another thread: the identifier, the name, and the icon if there is one.
    ///   Without a host the texts are empty.
    public func loadBroadcastingApplicationInfo(
        completion: @escaping @Sendable (_ bundleID: String, _ displayName: String, _ appIcon: UIImage?) -> Void
    ) {
        guard let session = PointSession.of(self) else {
            DispatchQueue.global().async { completion("", "", nil) }
            return
        }
        session.send(LoadBroadcastingApplication()) { answer in
            session.onThread {
                switch answer {
                case .success(let found):
                    completion(
                        found.identifier, found.displayName, found.icon.flatMap { UIImage(data: Data($0)) })
                case .failure: completion("", "", nil)
                }
            }
        }
    }

    /// The form of `loadBroadcastingApplicationInfo(completion:)` that Swift imports as `async`.
    public func loadBroadcastingApplicationInfo() async -> (String, String, UIImage?) {
        await withCheckedContinuation { continuation in
            loadBroadcastingApplicationInfo { continuation.resume(returning: ($0, $1, $2)) }
        }
    }
}
