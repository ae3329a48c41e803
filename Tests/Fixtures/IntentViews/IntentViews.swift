// IntentViews: views of intents that do what the content of a message says, for IntentViewTests.

import IntentsUI

/// Prints each call: the tests read them in order.
@MainActor private func note(_ text: String) { print(Thread.isMainThread ? text : "\(text), off the main queue") }

/// The base of all views.
class IntentViewBase: UIViewController {
    let label = UILabel()
    var waiting: [(Bool, Set<INParameter>, CGSize) -> Void] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(label)
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        note("appear \(Int(view.frame.width))×\(Int(view.frame.height))")
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        note("disappear")
    }

    var most: CGSize { extensionContext?.hostedViewMaximumAllowedSize ?? .zero }
}

/// A view for each parameter.
final class ParameterView: IntentViewBase, INUIHostedViewControlling {
    func configureView(
        for parameters: Set<INParameter>, of interaction: INInteraction, interactiveBehavior: INUIInteractiveBehavior,
        context: INUIHostedViewContext, completion: @escaping (Bool, Set<INParameter>, CGSize) -> Void
    ) {
        let names = parameters.map(\.parameterKeyPath).sorted().joined(separator: ",")
        note("configure [\(names)] \(interaction.intentHandlingStatus) \(interactiveBehavior) \(context)")
        let content = INParameter(for: INSendMessageIntent.self, keyPath: "content")
        let act = interaction.parameterValue(for: content) as? String ?? ""
        guard let parameter = parameters.first else { return configureWhole(interaction, act, completion) }
        label.text = parameter.parameterKeyPath
        switch (act, parameter.parameterKeyPath) {
        case ("refuse", "recipients"): completion(false, [], most)
        case ("both", "recipients"): completion(true, [parameter, content], CGSize(width: 300, height: 80))
        case ("strange", "recipients"):
            let other = INParameter(for: INPlayMediaIntent.self, keyPath: "mediaItems")
            let absent = INParameter(for: INSendMessageIntent.self, keyPath: "absent")
            completion(true, [parameter, other, absent], CGSize(width: 300, height: 80))
        case ("none", _): completion(true, [parameter], .zero)
        case ("many", _):
            let many = (0..<2_000).map { INParameter(for: INSendMessageIntent.self, keyPath: "p\($0)") }
            completion(true, Set(many), most)
        default: completion(true, parameters, CGSize(width: 300, height: 80))
        }
    }

    private func configureWhole(
        _ interaction: INInteraction, _ act: String, _ completion: @escaping (Bool, Set<INParameter>, CGSize) -> Void
    ) {
        switch act {
        case "huge": completion(true, [], CGSize(width: 10_000, height: CGFloat.infinity))
        case "tiny": completion(true, [], CGSize(width: 1, height: 1))
        case "hang": waiting.append(completion)
        case "drop": break
        case "die": exit(9)
        case "twice":
            completion(false, [], .zero)
            completion(true, [], most)
        case "facts":
            note(Facts.text(interaction, extensionContext))
            completion(false, [], .zero)
        default: completion(false, [], .zero)
        }
    }
}

/// The words about an interaction.
private enum Facts {
    static func text(_ interaction: INInteraction, _ context: NSExtensionContext?) -> String {
        let intent = interaction.intent as? INSendMessageIntent
        let response = interaction.intentResponse as? INSendMessageIntentResponse
        let first = INParameter(for: INSendMessageIntent.self, keyPath: "recipients.displayName")
        first.setIndex(1, forSubKeyPath: "recipients")
        let deep = INParameter(for: INSendMessageIntent.self, keyPath: "recipients")
        deep.setIndex(1, forSubKeyPath: "recipients")
        let path = INParameter(keyPath: \INSendMessageIntent.content)
        let sent = INParameter(for: INSendMessageIntentResponse.self, keyPath: "sentMessage.content")
        let facts: [String] = [
            "people \(intent?.recipients?.map(\.displayName) ?? [])", "code \(response.map { "\($0.code)" } ?? "none")",
            "direction \(interaction.direction)", "date \(interaction.dateInterval != nil)",
            "first \(interaction.parameterValue(for: first) ?? "none")",
            "deep \((interaction.parameterValue(for: deep) as? INPerson)?.displayName ?? "none")",
            "path \(path?.parameterKeyPath ?? "none")",
            "sent \(interaction.parameterValue(for: sent) ?? "none")",
            "equal \(path?.isEqual(to: INParameter(for: INSendMessageIntent.self, keyPath: "content")) ?? false)",
            "class \(path.map { "\($0.parameterClass)" } ?? "none")",
            "activity \(response?.userActivity?.activityType ?? "none")",
            "parameters \(context?.interfaceParametersDescription() ?? "none")",
            "least \(Int(context?.hostedViewMinimumAllowedSize.width ?? 0))",
        ]
        return facts.joined(separator: "; ")
    }
}

/// The form of iOS 10, with the parts that it makes needless.
final class WholeView: IntentViewBase, INUIHostedViewControlling, INUIHostedViewSiriProviding {
    func configure(
        with interaction: INInteraction, context: INUIHostedViewContext, completion: @escaping (CGSize) -> Void
    ) {
        label.text = (interaction.intent as? INSendMessageIntent)?.content
        completion(label.text == "none" ? .zero : most)
    }

    var displaysMessage: Bool { true }
}

/// The form of sources for iOS 10, with optional values.
final class OptionalView: IntentViewBase, INUIHostedViewControlling {
    func configure(
        with interaction: INInteraction!, context: INUIHostedViewContext, completion: ((CGSize) -> Void)!
    ) {
        label.text = (interaction.intent as? INSendMessageIntent)?.content
        completion(most)
    }
}

/// The async form.
final class LaterView: IntentViewBase, INUIHostedViewControlling {
    func configureView(
        for parameters: Set<INParameter>, of interaction: INInteraction,
        interactiveBehavior: INUIInteractiveBehavior, context: INUIHostedViewContext
    ) async -> (Bool, Set<INParameter>, CGSize) {
        label.text = "later"
        return (parameters.isEmpty, [], most)
    }
}

/// A view without a method.
final class IdleView: IntentViewBase, INUIHostedViewControlling {}

/// A class that is no view of an intent.
final class Stranger: UIViewController {}

@main struct Main { static func main() { NSExtensionMain() } }
