// SwiftTemplate+MessagesApp: the template for an iMessage app.

extension SwiftTemplate {
    /// An iMessage app.
    var messagesApp: Parts {
        var parts = Parts(
            "an iMessage app that puts a greeting into the input field", className: "MessagesViewController",
            modules: ["ExtensionFoundation", "Messages", "UIKit"], run: "exthostctl run . --tap Greet --field send")
        parts.source = """
            // MessagesViewController: puts a message with a greeting into the input field.

            import Messages
            import UIKit

            final class MessagesViewController: MSMessagesAppViewController {
                private let label = UILabel()

                override func viewDidLoad() {
                    super.viewDidLoad()
                    label.accessibilityIdentifier = "state"
                    label.text = "No message is selected"
                    let button = UIButton(type: .system)
                    button.setTitle("Greet", for: .normal)
                    button.addAction(UIAction { [weak self] _ in self?.greet() }, for: .touchUpInside)
                    view.addSubview(label)
                    view.addSubview(button)
                }

                override func willBecomeActive(with conversation: MSConversation) {
                    if let url = conversation.selectedMessage?.url { label.text = url.absoluteString }
                }

                override func didStartSending(_ message: MSMessage, conversation: MSConversation) {
                    label.text = "Sent"
                }

                private func greet() {
                    let layout = MSMessageTemplateLayout()
                    layout.caption = "Hello"
                    let message = MSMessage(session: activeConversation?.selectedMessage?.session ?? MSSession())
                    message.layout = layout
                    message.url = URL(string: "https://example.org/?greeting=hello")
                    label.text = "In the input field"
                    activeConversation?.insert(message) { [weak self] error in
                        guard let error else { return }
                        // The handler runs on a background queue.
                        DispatchQueue.main.async { [weak self] in self?.label.text = "\\(error)" }
                    }
                }
            }

            """
        parts.test = "aGreetingIsSent"
        parts.session = """
                        let session = try await MessagesAppHost(host.application).open(
                            "\(project.extensionIdentifier)", in: MessagesConversation())
                        try await session.use(.tap("Greet"))
                        let sent = try await session.send()
                        #expect(sent.first?.message?.layout?.texts["caption"] == "Hello")
                        _ = await session.request.view { $0["state"]?.text == "Sent" }
                        await session.close()
                        #expect(await session.ending == .closed)
            """
        return parts
    }
}
