// AUViewController: the view of an audio unit, and the calls of its hosts.

import ExtensionPointKit
import Foundation
import PointFrameworkKit
import PointMessages

/// The view controller of an audio unit with an interface. A subclass that adopts `AUAudioUnitFactory` is the
/// extension's principal class. Its view is loaded when the host asks for it: before the unit is made, or after that.
open class AUViewController: UIViewController {}

/// The framework's half of `com.apple.AudioUnit-UI`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    /// The view appears when the host asks for it.
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        let made = session.makeObject(of: type)
        guard made is UIViewController else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) is not an AUViewController",
                remedy: "Inherit from it, or use the extension point com.apple.AudioUnit")
        }
        try AudioCalls.adopt(made, session)
        return made
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        guard call.name == ShowAudioView.name else { return try await AudioCalls.perform(call, session) }
        await session.showView()
        return try PointEncoder.encode(Nothing())
    }

    func end(_ session: PointSession) { AudioCalls.end(session) }
}
