// ExtensionPointSupport: the calls of a host that needs a credential, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.authentication-services-credential-provider-ui`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    var contextClass: NSExtensionContext.Type { ASCredentialProviderExtensionContext.self }

    /// A credential that needs no person needs no view, and the others appear once they are prepared.
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        let made = session.makeObject(of: type)
        guard made is ASCredentialProviderViewController else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) is not an ASCredentialProviderViewController",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case ListCredentials.name:
            let services = try call.decode(ListCredentials.self).services
            await show(session) { controller in
                controller.prepareCredentialList(for: services.map { ASCredentialServiceIdentifier($0) })
            }
        case ProvideCredential.name: try await provide(try call.decode(ProvideCredential.self).identity, session)
        case PrepareCredential.name:
            let identity = try call.decode(PrepareCredential.self).identity
            await show(session) { controller in
                controller.prepareInterfaceToProvideCredential(for: Self.request(identity))
            }
        case ConfigureCredentials.name:
            await show(session) { $0.prepareInterfaceForExtensionConfiguration() }
        case EndCredentials.name: (session.context as? ASCredentialProviderExtensionContext)?.isTaken()
        default: throw ExtensionHostError(.notImplemented, "AuthenticationServices has no call \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }

    func end(_ session: PointSession) { (session.context as? ASCredentialProviderExtensionContext)?.isOver() }

    private static func request(_ identity: CredentialIdentity) -> any ASCredentialRequest {
        ASPasswordCredentialRequest(credentialIdentity: ASPasswordCredentialIdentity(identity))
    }

    /// Asks for a credential, and waits for the author's answer. The view is not shown.
    private func provide(_ identity: CredentialIdentity, _ session: PointSession) async throws {
        guard let context = session.context as? ASCredentialProviderExtensionContext else { return }
        let _: Nothing = try await session.completion(of: "provideCredentialWithoutUserInteraction(for:)") { handler in
            context.whenAnswered { handler(Nothing()) }
            await session.onMain {
                let controller = session.principal as? ASCredentialProviderViewController
                controller?.provideCredentialWithoutUserInteraction(for: Self.request(identity))
            }
        }
    }

    private func show(
        _ session: PointSession, _ body: @MainActor @Sendable (ASCredentialProviderViewController) -> Void
    ) async {
        await session.onMain {
            guard let controller = session.principal as? ASCredentialProviderViewController else { return }
            // Authors use the parts of their view.
            controller.loadViewIfNeeded()
            body(controller)
        }
        await session.showView()
    }
}
