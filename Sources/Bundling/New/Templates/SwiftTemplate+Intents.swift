// SwiftTemplate+Intents: the template for intents.

extension SwiftTemplate {
    /// An intents extension that sends messages.
    var intents: Parts {
        var parts = Parts(
            "an intents extension that sends messages", className: "IntentHandler",
            modules: ["ExtensionFoundation", "Intents"],
            run: "exthostctl run . --intent INSendMessageIntent --param recipients=Anna --param content=Hello")
        parts.source = """
            // IntentHandler: an intents extension that sends messages.

            import Intents

            final class IntentHandler: INExtension, INSendMessageIntentHandling {
                override func handler(for intent: INIntent) -> Any { self }

                func resolveRecipients(
                    for intent: INSendMessageIntent,
                    with completion: @escaping ([INSendMessageRecipientResolutionResult]) -> Void
                ) {
                    guard let recipients = intent.recipients, !recipients.isEmpty else {
                        return completion([.needsValue()])
                    }
                    // An app looks the people up among its contacts.
                    completion(recipients.map { .success(with: $0) })
                }

                func resolveContent(
                    for intent: INSendMessageIntent, with completion: @escaping (INStringResolutionResult) -> Void
                ) {
                    guard let content = intent.content, !content.isEmpty else { return completion(.needsValue()) }
                    completion(.success(with: content))
                }

                func handle(
                    intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void
                ) {
                    // An app sends the message here.
                    completion(INSendMessageIntentResponse(code: .success, userActivity: nil))
                }
            }

            """
        parts.test = "messagesAreSent"
        parts.session = """
                        let run = try await IntentsHost(host.application).perform(
                            "INSendMessageIntent",
                            parameters: ["recipients": .texts(["Anna"]), "content": .texts(["Hello"])],
                            by: "\(project.extensionIdentifier)")
                        #expect(run.ending == .handled && run.answer?.code == "success")
            """
        return parts
    }
}
