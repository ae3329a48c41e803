// ExtensionPointSupport: the calls of a host that lets a person pick a document, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.fileprovider-ui`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    /// The view appears after `prepareForPresentation(in:)` (documented).
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        // The kit makes objects with a view on the main queue.
        let made = MainActor.assumeIsolated {
            UIDocumentPickerExtensionViewController.starting = PickerSession.of(session)
            defer { UIDocumentPickerExtensionViewController.starting = nil }
            return Made(object: session.makeObject(of: type))
        }.object
        guard made is UIDocumentPickerExtensionViewController else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) is not a UIDocumentPickerExtensionViewController",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    /// An object on its way out of the main actor's code.
    private struct Made: @unchecked Sendable {
        let object: NSObject
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case PreparePicker.name:
            let message = try call.decode(PreparePicker.self)
            let picker = PickerSession.of(session)
            let original = try message.original.map { try session.lend($0.file, named: $0.name) }
            try await session.onMain { try picker.prepare(message, original) }
            await session.showView()
        case RefuseAccess.name:
            let reason = try call.decode(RefuseAccess.self).reason
            session.context.cancelRequest(
                withError: ExtensionHostError(
                    .notPermitted, reason, remedy: "Grant access to a document that the mode allows"))
        case EndPicker.name: break
        default: throw ExtensionHostError(.notImplemented, "DocumentPickerService has no call \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }
}
