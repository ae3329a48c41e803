// CredentialOptions: the options of `run` for credential providers.

import ArgumentParser

/// The options for a service and its user.
struct CredentialOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Credential provider: ask for a credential of this service, a URL or a domain. Default https://example.org.",
            valueName: "service"))
    var service: String?

    @Option(
        help: ArgumentHelp(
            "Credential provider: ask for the credential of this user, first without a view. Without it, the list is shown.",
            valueName: "user"))
    var identity: String?

    @Flag(help: "Credential provider: show the view in which a person sets it up.")
    var configure = false

    @Flag(help: "Credential provider: print the password, too.")
    var reveal = false

    /// The options in use.
    var given: [String] {
        [
            ("--service", service != nil), ("--identity", identity != nil), ("--configure", configure),
            ("--reveal", reveal),
        ].filter(\.1).map(\.0)
    }
}
