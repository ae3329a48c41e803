// ExtensionPointSupport: the calls of a host that performs a file provider's action, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import FileProvider
import Foundation
import Locks
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.fileprovider-actionsui`. The author's code ends the request.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    var contextClass: NSExtensionContext.Type { FPUIActionExtensionContext.self }

    /// The view appears after `prepare(forAction:itemIdentifiers:)` (documented).
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        let made = session.makeObject(of: type)
        guard made is FPUIActionExtensionViewController else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) is not an FPUIActionExtensionViewController",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case PrepareAction.name:
            let message = try call.decode(PrepareAction.self)
            let items = message.items.map { NSFileProviderItemIdentifier(rawValue: $0) }
            await prepare(session, message.domain) {
                $0.prepare(forAction: message.action, itemIdentifiers: items)
            }
        case PrepareForError.name:
            let message = try call.decode(PrepareForError.self)
            await prepare(session, message.domain) {
                let text = message.text.map { [NSLocalizedDescriptionKey: $0] }
                $0.prepare(forError: NSError(domain: message.errorDomain, code: message.code, userInfo: text))
            }
        default: throw ExtensionHostError(.notImplemented, "FileProviderUI has no call \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }

    private func prepare(
        _ session: PointSession, _ domain: String?,
        _ body: @MainActor @Sendable (FPUIActionExtensionViewController) -> Void
    ) async {
        ActionState.of(session).domain.withLock { $0 = domain.map { NSFileProviderDomainIdentifier(rawValue: $0) } }
        await session.onMain {
            guard let controller = session.principal as? FPUIActionExtensionViewController else { return }
            // Authors use the parts of their view.
            controller.loadViewIfNeeded()
            body(controller)
        }
        await session.showView()
    }
}
