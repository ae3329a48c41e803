// ExtensionPointSupport: the calls of a host's text field, as calls of the author's code on the main queue.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.keyboard-service`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    /// The view appears when the host has given the keyboard a text.
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        // The kit makes objects with a view on the main queue.
        let made = MainActor.assumeIsolated {
            UIPasteboard.isAvailable.store(false, ordering: .relaxed)
            UIInputViewController.starting = KeyboardSession.of(session)
            defer { UIInputViewController.starting = nil }
            return Made(object: session.makeObject(of: type))
        }.object
        guard made is UIInputViewController else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) is not a UIInputViewController",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    /// An object on its way out of the main actor's code.
    private struct Made: @unchecked Sendable {
        let object: NSObject
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        let keyboard = KeyboardSession.of(session)
        switch call.name {
        case KeysDocument.name:
            let message = try call.decode(KeysDocument.self)
            await session.onMain { keyboard.take(message) }
        case KeysChange.name:
            let message = try call.decode(KeysChange.self)
            await session.onMain { keyboard.take(message) }
        case KeysAppear.name:
            await session.onMain { keyboard.prepareView() }
            await session.showView()
            await session.onMain {
                keyboard.isVisible = true
                keyboard.layOut()
            }
        case KeysDisappear.name:
            await session.onMain { keyboard.isVisible = false }
            await session.hideView()
        case KeysTap.name:
            let message = try call.decode(KeysTap.self)
            try await keyboard.tap(message)
        case KeysEnd.name: break
        default: throw ExtensionHostError(.notImplemented, "KeyboardService has no call \(call.name)")
        }
        await keyboard.flush()
        return try PointEncoder.encode(await keyboard.state())
    }

    func end(_ session: PointSession) {
        let keyboard = KeyboardSession.of(session)
        session.laterOnMain { keyboard.end() }
    }
}
