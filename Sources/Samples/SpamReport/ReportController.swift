// SpamReport: lets a person report messages and calls, and say what they are.

import ExtensionFoundation
import Foundation
import IdentityLookupUI

/// Shows the sender, and three buttons. The host's button Done is enabled after a choice.
final class ReportController: ILClassificationUIExtensionViewController {
    private let sender = UILabel()
    private let choice = UILabel()
    private var senders: [String] = []
    private var kind = "message"
    private var action = ILClassificationAction.none

    override func prepare(for request: ILClassificationRequest) {
        switch request {
        case let request as ILMessageClassificationRequest:
            senders = request.messageCommunications.compactMap(\.sender)
        case let request as ILCallClassificationRequest:
            kind = "call"
            senders = request.callCommunications.compactMap(\.sender)
        default: break
        }
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        (sender.accessibilityIdentifier, choice.accessibilityIdentifier) = ("sender", "choice")
        sender.text = senders.last ?? "Unknown"
        choice.text = "What is it?"
        for label in [sender, choice] { view.addSubview(label) }
        add("Junk", .reportJunk)
        add("Junk, and block", .reportJunkAndBlockSender)
        add("No junk", .reportNotJunk)
    }

    private func add(_ title: String, _ action: ILClassificationAction) {
        let button = UIButton()
        button.setTitle(title, for: .normal)
        button.addAction(
            UIAction { [weak self] _ in
                self?.action = action
                self?.choice.text = title
                self?.extensionContext.isReadyForClassificationResponse = true
            }, for: .touchUpInside)
        view.addSubview(button)
    }

    override func classificationResponse(for request: ILClassificationRequest) -> ILClassificationResponse {
        let response = ILClassificationResponse(action: action)
        response.userInfo = ["kind": kind, "senders": senders, "isJunk": action != .reportNotJunk]
        return response
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
