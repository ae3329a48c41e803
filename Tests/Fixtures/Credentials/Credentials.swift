// Credentials: a credential provider that does what the user's name says, for CredentialTests.

import AuthenticationServices
import ExtensionFoundation
import Foundation
import Glibc

/// The user's name begins with an act. Without an identity the acts are those of the file `act` in the bundle.
final class CredentialController: ASCredentialProviderViewController {
    private let label = UILabel()
    private let field = UITextField()
    private static var kept: [AnyObject] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        print("viewDidLoad")
        label.accessibilityIdentifier = "label"
        field.accessibilityIdentifier = "master"
        field.isSecureTextEntry = true
        field.text = "secretMASTER"
        view.addSubview(label)
        view.addSubview(field)
        add("Choose") { $0.complete("ada", "secretLIST") }
        add("Twice") {
            $0.complete("ada", "secretFIRST")
            $0.complete("eve", "secretSECOND")
            $0.extensionContext.cancelRequest(withError: ASExtensionError(.failed))
        }
        add("Cancel") { $0.extensionContext.cancelRequest(withError: ASExtensionError(.userCanceled)) }
        add("Done") { $0.extensionContext.completeExtensionConfigurationRequest() }
        add("Nothing") { $0.extensionContext.completeRequest(returningItems: [NSExtensionItem()]) }
        add("Long") { $0.complete("ada", String(repeating: "secretLONG", count: 1000)) }
        add("Await long") { $0.completeAndWait(String(repeating: "secretLONG", count: 1000)) }
        add("Await") { $0.completeAndWait("secretAWAITED") }
        add("Passkey") {
            $0.extensionContext.completeAssertionRequest(
                using: ASPasskeyAssertionCredential(
                    userHandle: Data(), relyingParty: "", signature: Data(), clientDataHash: Data(),
                    authenticatorData: Data(), credentialID: Data()))
        }
        add("Code") {
            $0.extensionContext.completeOneTimeCodeRequest(using: ASOneTimeCodeCredential(code: "123456"))
        }
        add("Die") { _ in exit(9) }
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        print("viewDidAppear")
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        print("viewDidDisappear")
    }

    private func add(_ title: String, _ body: @escaping (CredentialController) -> Void) {
        let button = UIButton()
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { [weak self] _ in if let self { body(self) } }, for: .touchUpInside)
        view.addSubview(button)
    }

    private func complete(_ user: String, _ password: String) {
        extensionContext.completeRequest(withSelectedCredential: ASPasswordCredential(user: user, password: password)) {
            print("completed, expired:", $0)
        }
    }

    private func completeAndWait(_ password: String) {
        let context = extensionContext
        Task {
            let credential = ASPasswordCredential(user: "ada", password: password)
            print("awaited, expired:", await context.completeRequest(withSelectedCredential: credential))
        }
    }

    override func prepareCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) {
        let services = serviceIdentifiers.map { "\($0.identifier) \($0.type.rawValue)" }.joined(separator: ", ")
        print("list", services)
        label.text = services
        switch Self.act {
        case "hang": sleep(1000)
        case "die": exit(9)
        case "now": complete("ada", "secretNOW")
        case "stop": extensionContext.cancelRequest(withError: ASExtensionError(.credentialIdentityNotFound))
        case "save": save()
        default: break
        }
    }

    override func provideCredentialWithoutUserInteraction(for credentialIdentity: ASPasswordCredentialIdentity) {
        let (user, record) = (credentialIdentity.user, credentialIdentity.recordIdentifier ?? "-")
        print("provide", user, credentialIdentity.serviceIdentifier.identifier, record, isViewLoaded)
        switch user {
        case "locked", "lockedTwice":
            extensionContext.cancelRequest(withError: ASExtensionError(.userInteractionRequired))
        case "unknown": extensionContext.cancelRequest(withError: ASExtensionError(.credentialIdentityNotFound))
        case "foreign": extensionContext.cancelRequest(withError: CocoaError(.fileReadNoSuchFile))
        case "hang": sleep(1000)
        case "silent": break
        case "later":
            Task {
                let credential = ASPasswordCredential(user: user, password: "secretLATER")
                print("completed, expired:", await extensionContext.completeRequest(withSelectedCredential: credential))
            }
        case "die": exit(9)
        case "nothing": extensionContext.completeRequest(returningItems: nil)
        default: complete(user, "secretSILENT")
        }
    }

    override func prepareInterfaceToProvideCredential(for credentialIdentity: ASPasswordCredentialIdentity) {
        print("prepare", credentialIdentity.user)
        label.text = credentialIdentity.user
        if credentialIdentity.user == "lockedTwice" {
            extensionContext.cancelRequest(withError: ASExtensionError(.userInteractionRequired))
        }
    }

    override func prepareInterfaceForExtensionConfiguration() { print("configure") }

    private func save() {
        let service = ASCredentialServiceIdentifier(identifier: "example.org", type: .domain)
        let identity = ASPasswordCredentialIdentity(
            serviceIdentifier: service, user: "ada", recordIdentifier: "record 1")
        ASCredentialIdentityStore.shared.saveCredentialIdentities([identity]) { isSaved, error in
            print("saved", isSaved, error.map { "\(($0 as NSError).domain) \(($0 as NSError).code)" } ?? "-")
        }
    }

    private static var act: String {
        guard let url = Bundle.main.url(forResource: "act", withExtension: nil),
            let data = try? Data(contentsOf: url)
        else { return Bundle.main.object(forInfoDictionaryKey: "TestWish") as? String ?? "" }
        return String(decoding: data, as: UTF8.self)
    }
}

/// A provider without any method.
final class BareController: ASCredentialProviderViewController {}

/// A provider with the newer forms only.
final class NewController: ASCredentialProviderViewController {
    override func provideCredentialWithoutUserInteraction(for credentialRequest: any ASCredentialRequest) {
        guard credentialRequest.type == .password else { return }
        let user = credentialRequest.credentialIdentity.user
        extensionContext.completeRequest(
            withSelectedCredential: ASPasswordCredential(user: user, password: "secretNEW"), completionHandler: nil)
    }
}

/// A class that is no provider.
final class Stranger: UIViewController {}

@main struct Main { static func main() { NSExtensionMain() } }
