// PaperPlaneView: the views of the intents of PaperPlane.

import IntentsUI

/// Shows the people and the words of a message in one view, and leaves the other parameters to the system.
final class PaperPlaneView: UIViewController, INUIHostedViewControlling {
    private let people = UILabel()
    private let words = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        people.accessibilityIdentifier = "people"
        words.accessibilityIdentifier = "words"
        people.frame = CGRect(x: 16, y: 8, width: 320, height: 24)
        words.frame = CGRect(x: 16, y: 40, width: 320, height: 60)
        view.addSubview(people)
        view.addSubview(words)
    }

    func configureView(
        for parameters: Set<INParameter>, of interaction: INInteraction, interactiveBehavior: INUIInteractiveBehavior,
        context: INUIHostedViewContext, completion: @escaping (Bool, Set<INParameter>, CGSize) -> Void
    ) {
        let recipients = INParameter(for: INSendMessageIntent.self, keyPath: "recipients")
        let content = INParameter(for: INSendMessageIntent.self, keyPath: "content")
        guard let intent = interaction.intent as? INSendMessageIntent, parameters.contains(recipients) else {
            // The first call has no parameters, and the system shows the others.
            return completion(false, [], .zero)
        }
        let names = (intent.recipients ?? []).map(\.displayName).joined(separator: ", ")
        people.text = interaction.intentHandlingStatus == .success ? "Sent to \(names)" : "To \(names)"
        words.text = interaction.parameterValue(for: content) as? String
        let width = extensionContext?.hostedViewMaximumAllowedSize.width ?? 320
        completion(true, [recipients, content], CGSize(width: width, height: 108))
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
