// CoinFlip: an iMessage app in which one person bets, and the other flips the coin.

import Messages

final class MessagesViewController: MSMessagesAppViewController {
    private let status = UILabel()
    private let buttons = UIStackView()

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(status)
        view.addSubview(buttons)
    }

    override func willBecomeActive(with conversation: MSConversation) { show(conversation.selectedMessage) }

    override func didSelect(_ message: MSMessage, conversation: MSConversation) { show(message) }

    override func didReceive(_ message: MSMessage, conversation: MSConversation) { show(message) }

    override func didStartSending(_ message: MSMessage, conversation: MSConversation) { status.text = "Sent" }

    override func didCancelSending(_ message: MSMessage, conversation: MSConversation) { show(nil) }

    // MARK: The game, whose state is in the URL of a message

    private func show(_ message: MSMessage?) {
        for button in buttons.arrangedSubviews { button.removeFromSuperview() }
        let parts = message?.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }?.queryItems ?? []
        let state = Dictionary(parts.map { ($0.name, $0.value ?? "") }) { $1 }
        guard let bet = state["bet"] else {
            status.text = "Bet on a side"
            for side in ["Heads", "Tails"] {
                add(side) { [weak self] in self?.play(["bet": side], "I bet on \(side)", MSSession()) }
            }
            return
        }
        guard let side = state["side"] else {
            status.text = "The bet is on \(bet)"
            add("Flip") { [weak self] in
                let side = Bool.random() ? "Heads" : "Tails"
                let end = side == bet ? "You win" : "You lose"
                self?.play(["bet": bet, "side": side], "\(side): \(end)", message?.session ?? MSSession())
            }
            return
        }
        status.text = side == bet ? "\(side): the bet was right" : "\(side): the bet was wrong"
        add("Again") { [weak self] in self?.show(nil) }
    }

    private func add(_ title: String, _ body: @escaping @MainActor () -> Void) {
        let button = UIButton(type: .system)
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { _ in body() }, for: .touchUpInside)
        buttons.addArrangedSubview(button)
    }

    private func play(_ state: [String: String], _ caption: String, _ session: MSSession) {
        let layout = MSMessageTemplateLayout()
        layout.caption = caption
        layout.trailingSubcaption = "Coin Flip"
        let message = MSMessage(session: session)
        message.layout = layout
        message.summaryText = caption
        var address = URLComponents(string: "https://example.org/coin")
        address?.queryItems = state.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
        message.url = address?.url
        status.text = "Tap Send"
        activeConversation?.insert(message) { [weak self] error in
            guard let error else { return }
            DispatchQueue.main.async { [weak self] in self?.status.text = "\(error)" }
        }
        requestPresentationStyle(.compact)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
