// KeyRing: a credential provider with the keys of a file, of which some need the word of their owner.

import AuthenticationServices
import ExtensionFoundation
import Foundation

/// Lists the keys for a service. A key that is locked is given only after the word “open sesame”.
final class KeyRing: ASCredentialProviderViewController {
    private let word = UITextField()
    private let unlock = UIButton(type: .system)
    private var locked: Key?

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Key ring"
        word.accessibilityIdentifier = "word"
        word.placeholder = "The word"
        word.isSecureTextEntry = true
        unlock.setTitle("Unlock", for: .normal)
        unlock.addAction(UIAction { [weak self] _ in self?.open() }, for: .touchUpInside)
        add("Cancel") { $0.extensionContext.cancelRequest(withError: ASExtensionError(.userCanceled)) }
    }

    private func add(_ title: String, _ body: @escaping (KeyRing) -> Void) {
        let button = UIButton(type: .system)
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { [weak self] _ in if let self { body(self) } }, for: .touchUpInside)
        view.addSubview(button)
    }

    // MARK: The host's requests

    override func prepareCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) {
        let hosts = serviceIdentifiers.map { URL(string: $0.identifier)?.host ?? $0.identifier }
        for key in Key.all where hosts.isEmpty || hosts.contains(where: { key.fits($0) }) {
            add(key.user) { $0.choose(key) }
        }
    }

    override func provideCredentialWithoutUserInteraction(for credentialIdentity: ASPasswordCredentialIdentity) {
        guard let key = Key.key(of: credentialIdentity) else {
            return extensionContext.cancelRequest(withError: ASExtensionError(.credentialIdentityNotFound))
        }
        guard !key.isLocked else {
            return extensionContext.cancelRequest(withError: ASExtensionError(.userInteractionRequired))
        }
        give(key)
    }

    override func prepareInterfaceToProvideCredential(for credentialIdentity: ASPasswordCredentialIdentity) {
        guard let key = Key.key(of: credentialIdentity) else {
            return extensionContext.cancelRequest(withError: ASExtensionError(.credentialIdentityNotFound))
        }
        choose(key)
    }

    override func prepareInterfaceForExtensionConfiguration() {
        add("Offer all keys") { ring in
            let identities = Key.all.map(\.identity)
            let context = ring.extensionContext
            ASCredentialIdentityStore.shared.replaceCredentialIdentities(with: identities) { _, _ in
                context.completeExtensionConfigurationRequest()
            }
        }
    }

    // MARK: The person's choice

    private func choose(_ key: Key) {
        guard key.isLocked else { return give(key) }
        locked = key
        view.addSubview(word)
        view.addSubview(unlock)
    }

    private func open() {
        guard let locked, word.text == "open sesame" else { return }
        give(locked)
    }

    private func give(_ key: Key) {
        extensionContext.completeRequest(
            withSelectedCredential: ASPasswordCredential(user: key.user, password: key.password))
    }
}

/// A key of the ring.
private struct Key: Decodable, Sendable {
    let id: String
    let domain: String
    let user: String
    let password: String
    let isLocked: Bool

    static let all: [Key] = {
        guard let url = Bundle.main.url(forResource: "ring", withExtension: "json"),
            let data = try? Data(contentsOf: url)
        else { return [] }
        return (try? JSONDecoder().decode([Key].self, from: data)) ?? []
    }()

    /// The key of an identity: by its record, or by its user and service.
    static func key(of identity: ASPasswordCredentialIdentity) -> Key? {
        let service = identity.serviceIdentifier.identifier
        let host = URL(string: service)?.host ?? service
        return all.first {
            identity.recordIdentifier.map { [id = $0.id] in $0 == id } ?? ($0.user == identity.user && $0.fits(host))
        }
    }

    func fits(_ host: String) -> Bool { host == domain || host.hasSuffix("." + domain) }

    var identity: ASPasswordCredentialIdentity {
        ASPasswordCredentialIdentity(
            serviceIdentifier: ASCredentialServiceIdentifier(identifier: domain, type: .domain), user: user,
            recordIdentifier: id)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
