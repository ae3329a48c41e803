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

    /// A view of a message that an intents extension sends.
    var intentView: Parts {
        var parts = Parts(
            "a view of the intent to send a message", className: "IntentViewController",
            modules: ["ExtensionFoundation", "IntentsUI"],
            run: "exthostctl run . --param recipients=Anna --param content=Hello")
        parts.source = """
            // IntentViewController: shows the words of a message, and leaves the people to the system.

            import IntentsUI

            final class IntentViewController: UIViewController, INUIHostedViewControlling {
                private let label = UILabel()

                override func viewDidLoad() {
                    super.viewDidLoad()
                    label.accessibilityIdentifier = "words"
                    view.addSubview(label)
                }

                func configureView(
                    for parameters: Set<INParameter>, of interaction: INInteraction,
                    interactiveBehavior: INUIInteractiveBehavior, context: INUIHostedViewContext,
                    completion: @escaping (Bool, Set<INParameter>, CGSize) -> Void
                ) {
                    // The first call is for the whole intent, and has no parameters.
                    let content = INParameter(for: INSendMessageIntent.self, keyPath: "content")
                    guard parameters.contains(content) else { return completion(false, [], .zero) }
                    label.text = (interaction.intent as? INSendMessageIntent)?.content
                    completion(true, parameters, desiredSize)
                }

                var desiredSize: CGSize {
                    CGSize(width: extensionContext?.hostedViewMaximumAllowedSize.width ?? 320, height: 80)
                }
            }

            """
        parts.test = "theWordsAreShown"
        parts.session = """
                        let subject = IntentViewHost.Subject(
                            "INSendMessageIntent",
                            values: ["recipients": .texts(["Anna"]), "content": .texts(["Hello"])])
                        let session = try await IntentViewHost(host.application).show(
                            subject, with: "\(project.extensionIdentifier)")
                        #expect(session.views.first?.request.view?["words"]?.text == "Hello")
                        #expect(session.standard.map(\\.path) == ["recipients"])
                        await session.end()
            """
        return parts
    }
}
