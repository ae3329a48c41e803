// KeyRingApp: the containing app. It saves the identities of its keys, so that the system can offer them.

import AuthenticationServices
import UIKit

@main final class KeyRingApp: UIResponder, UIApplicationDelegate {
    /// The users of the keys. The passwords are in the extension only.
    private static let keys = [
        ("1", "ada", "example.org"), ("2", "grace", "example.org"), ("3", "alan", "example.com"),
    ]

    func applicationDidBecomeActive(_ application: UIApplication) {
        let store = ASCredentialIdentityStore.shared
        Task {
            guard await store.state().isEnabled else { return print("the key ring is not enabled") }
            let identities = Self.keys.map { record, user, domain in
                ASPasswordCredentialIdentity(
                    serviceIdentifier: ASCredentialServiceIdentifier(identifier: domain, type: .domain), user: user,
                    recordIdentifier: record)
            }
            do {
                try await store.replaceCredentialIdentities(with: identities)
                print("saved", identities.count)
            } catch {
                print("not saved:", error.localizedDescription)
            }
        }
    }
}
