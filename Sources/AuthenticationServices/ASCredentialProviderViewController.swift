// ASCredentialProviderViewController: the principal class of a credential provider.

public import UIKit

/// The principal class of a credential provider. All methods are called on the main queue, one of them for a request.
@MainActor @preconcurrency open class ASCredentialProviderViewController: UIViewController {
    /// The context of the request.
    open override var extensionContext: ASCredentialProviderExtensionContext {
        super.extensionContext as? ASCredentialProviderExtensionContext ?? ASCredentialProviderExtensionContext()
    }

    // MARK: Passwords

    /// Prepares the view with the credentials from which the person chooses. The view appears afterwards.
    ///
    /// - Parameter serviceIdentifiers: the services, the most important first.
    open func prepareCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) {}

    /// Provides the credential of an identity that the person has chosen, without a view.
    ///
    /// The author completes the request within 2 s (ours), or cancels it with `userInteractionRequired`, as the default
    /// does. The host then begins anew with `prepareInterfaceToProvideCredential(for:)`.
    open func provideCredentialWithoutUserInteraction(for credentialIdentity: ASPasswordCredentialIdentity) {
        extensionContext.cancelRequest(withError: ASExtensionError(.userInteractionRequired))
    }

    /// Prepares the view in which the person unlocks the credential of an identity. The view appears afterwards.
    open func prepareInterfaceToProvideCredential(for credentialIdentity: ASPasswordCredentialIdentity) {}

    /// Does what the form with an identity does, for all kinds of requests. It calls that form for a password.
    open func provideCredentialWithoutUserInteraction(for credentialRequest: any ASCredentialRequest) {
        guard let identity = credentialRequest.credentialIdentity as? ASPasswordCredentialIdentity else {
            extensionContext.cancelRequest(withError: ASExtensionError(.userInteractionRequired))
            return
        }
        provideCredentialWithoutUserInteraction(for: identity)
    }

    /// Does what the form with an identity does, for all kinds of requests. It calls that form for a password.
    open func prepareInterfaceToProvideCredential(for credentialRequest: any ASCredentialRequest) {
        guard let identity = credentialRequest.credentialIdentity as? ASPasswordCredentialIdentity else { return }
        prepareInterfaceToProvideCredential(for: identity)
    }

    /// Prepares the view in which the person sets the provider up, once the person has enabled it.
    ///
    /// The author ends the request with `completeExtensionConfigurationRequest()`. The extension's attribute
    /// `ASCredentialProviderExtensionShowsConfigurationUI` must be true.
    open func prepareInterfaceForExtensionConfiguration() {}

    // MARK: Others, for which no host here asks

    /// Prepares a list of passwords and passkeys. No host here asks for it.
    open func prepareCredentialList(
        for serviceIdentifiers: [ASCredentialServiceIdentifier],
        requestParameters: ASPasskeyCredentialRequestParameters
    ) {}

    /// Prepares the view for a new passkey. No host here asks for it.
    open func prepareInterface(forPasskeyRegistration registrationRequest: any ASCredentialRequest) {}

    /// Makes a passkey without a view. No host here asks for it.
    open func performPasskeyRegistrationWithoutUserInteractionIfPossible(
        _ registrationRequest: ASPasskeyCredentialRequest
    ) {
        extensionContext.cancelRequest(withError: ASExtensionError(.userInteractionRequired))
    }

    /// Prepares a list of one-time codes. No host here asks for it.
    open func prepareOneTimeCodeCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) {}

    /// Prepares a list of texts to insert. No host here asks for it.
    open func prepareInterfaceForUserChoosingTextToInsert() {}
}
