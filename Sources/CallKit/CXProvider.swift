// CXProvider: an app's calls, which nothing shows here.

import ExtensionWire
public import Foundation

/// The side of an app that reports its calls to the system. Of it there is the report of a push, which fails.
open class CXProvider: NSObject {
    /// Fails: no app gets pushes of calls here.
    ///
    /// - Parameters:
    ///   - dictionaryPayload: the payload for the app.
    ///   - completion: called on another thread, with the error `notSimulated`.
    open class func reportNewIncomingVoIPPushPayload(
        _ dictionaryPayload: [AnyHashable: Any], completion: (((any Error)?) -> Void)? = nil
    ) {
        guard let completion else { return }
        nonisolated(unsafe) let call = completion  // called once
        DispatchQueue.global().async {
            call(ExtensionHostError(.notSimulated, "no telephone here takes the calls of an app"))
        }
    }

    /// Fails: no app gets pushes of calls here.
    ///
    /// - Parameter dictionaryPayload: the payload for the app.
    /// - Throws: the error `notSimulated`.
    open class func reportNewIncomingVoIPPushPayload(_ dictionaryPayload: [AnyHashable: Any]) async throws {
        throw ExtensionHostError(.notSimulated, "no telephone here takes the calls of an app")
    }
}
