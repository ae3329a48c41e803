// CredentialExamples: values of every message of credential providers, and of the store of identities.

import ExtensionPointKit
import PointMessages

private let service = CredentialService("https://example.org/login", .url)
private let full = CredentialIdentity(service, user: "ada", record: "record 1", rank: 3)
private let bare = CredentialIdentity(service, user: "ada")

func credentialExamples() -> [MessageExamples] {
    [
        MessageExamples(
            ListCredentials.self, ["": ListCredentials([service, CredentialService("example.org", .domain)])]),
        MessageExamples(ProvideCredential.self, ["full": ProvideCredential(full), "bare": ProvideCredential(bare)]),
        MessageExamples(PrepareCredential.self, ["full": PrepareCredential(full), "bare": PrepareCredential(bare)]),
        MessageExamples(ConfigureCredentials.self, ["": ConfigureCredentials()]),
        MessageExamples(EndCredentials.self, ["": EndCredentials()]),
        MessageExamples(
            SelectCredential.self,
            ["": SelectCredential(user: "ada", password: ConfidentialText("correct horse"))]),
    ]
}

func credentialServiceExamples() -> [MessageExamples] {
    [
        MessageExamples(
            CredentialStoreState.self, ["": CredentialStoreState()],
            replies: ["": CredentialStoreState.Reply(isEnabled: true, isIncremental: true)]),
        MessageExamples(
            ChangeCredentialIdentities.self,
            [
                "full": ChangeCredentialIdentities(.replace, [full]),
                "bare": ChangeCredentialIdentities(.save, [bare]),
            ]),
        MessageExamples(
            StoredCredentialIdentities.self,
            ["full": StoredCredentialIdentities(service), "bare": StoredCredentialIdentities()],
            replies: [
                "full": StoredCredentialIdentities.Reply([full]), "bare": StoredCredentialIdentities.Reply([bare]),
            ]),
    ]
}
