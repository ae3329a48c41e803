// SwiftTemplate+Credentials: the template of a credential provider.

extension SwiftTemplate {
    /// A credential provider.
    var credentials: Parts {
        var parts = Parts(
            "a credential provider with one password, which it lists or gives at once",
            className: "CredentialProviderViewController", modules: ["ExtensionFoundation", "AuthenticationServices"],
            run: "exthostctl run . --service https://example.org --tap ada")
        parts.source = """
            // CredentialProviderViewController: a provider with one password, which it lists or gives at once.

            import AuthenticationServices
            import UIKit

            final class CredentialProviderViewController: ASCredentialProviderViewController {
                private let credential = ASPasswordCredential(user: "ada", password: "correct horse")

                override func prepareCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) {
                    let action = UIAction(title: credential.user) { [weak self] _ in self?.give() }
                    view.addSubview(UIButton(type: .system, primaryAction: action))
                }

                override func provideCredentialWithoutUserInteraction(
                    for credentialIdentity: ASPasswordCredentialIdentity
                ) {
                    guard credentialIdentity.user == credential.user else {
                        extensionContext.cancelRequest(withError: ASExtensionError(.credentialIdentityNotFound))
                        return
                    }
                    give()
                }

                private func give() { extensionContext.completeRequest(withSelectedCredential: credential) }
            }

            """
        parts.test = "aPasswordIsGiven"
        parts.session = """
                        let identity = CredentialIdentity(CredentialService("example.org", .domain), user: "ada")
                        let session = try await CredentialHost(host.application).credential(
                            for: identity, from: "\(project.extensionIdentifier)")
                        guard case .provided(let credential) = await session.ending else {
                            Issue.record("no credential")
                            return
                        }
                        #expect(credential.password.text == "correct horse")
            """
        return parts
    }
}
