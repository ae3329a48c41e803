// Reporter: answers reports as the text of the newest message says, for ClassificationTests.

import ExtensionFoundation
import Foundation
import IdentityLookupUI

/// Prints each call: the tests read them in order.
@MainActor private func note(_ text: String) { print(Thread.isMainThread ? text : "\(text), off the main queue") }

class ReporterBase: ILClassificationUIExtensionViewController {
    var words: [String] = []
    let label = UILabel()

    override func prepare(for request: ILClassificationRequest) {
        switch request {
        case let request as ILMessageClassificationRequest:
            let bodies = request.messageCommunications.map {
                "\($0.sender ?? "nobody"):\(Int($0.dateReceived.timeIntervalSince1970)):\($0.messageBody ?? "nothing")"
            }
            note("prepare messages \(bodies.joined(separator: "|")), view loaded: \(isViewLoaded)")
            words = (request.messageCommunications.last?.messageBody ?? "").split(separator: " ").map(String.init)
        case let request as ILCallClassificationRequest:
            let calls = request.callCommunications.map {
                "\($0.sender ?? "nobody"):\(Int($0.dateReceived.timeIntervalSince1970))"
            }
            note("prepare calls \(calls.joined(separator: "|"))")
        default: note("prepare \(type(of: request))")
        }
        switch words.first {
        case "hangAtPrepare": sleep(1000)
        case "dieAtPrepare": exit(9)
        default: break
        }
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        note("viewDidLoad")
        label.text = words.joined(separator: " ")
        view.addSubview(label)
        add("Ready") { [weak self] in self?.extensionContext.isReadyForClassificationResponse = true }
        add("Unready") { [weak self] in self?.extensionContext.isReadyForClassificationResponse = false }
        add("Complete") { [weak self] in self?.extensionContext.completeRequest(returningItems: []) }
        add("Cancel") { [weak self] in self?.extensionContext.cancelRequest(withError: CocoaError(.userCancelled)) }
        add("Later") { [weak self] in
            // Another thread says so.
            let context = self?.extensionContext
            DispatchQueue.global().async { context?.isReadyForClassificationResponse = true }
        }
    }

    private func add(_ title: String, _ body: @escaping () -> Void) {
        let button = UIButton()
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { _ in body() }, for: .touchUpInside)
        view.addSubview(button)
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        note("viewDidAppear \(extensionContext.isReadyForClassificationResponse)")
        if words.first != "wait" { extensionContext.isReadyForClassificationResponse = true }
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        note("viewDidDisappear")
    }
}

/// A view that answers.
final class Reporter: ReporterBase {
    override func classificationResponse(for request: ILClassificationRequest) -> ILClassificationResponse {
        note("respond \(type(of: request))")
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 2
        let response = ILClassificationResponse(action: ILClassificationAction(rawValue: number) ?? .none)
        switch words.first {
        case "values":
            response.userInfo = [
                "text": "a", "number": 3, "share": 0.5, "flag": true, "nothing": NSNull(), "list": [1, "two"],
                "inner": ["deep": ["deeper": "x"]], "box": AnyHashable("boxed"), "none": Optional<Int>.none as Any,
            ]
        case "hashable":
            let values: [String: AnyHashable] = ["number": "+1", "classification": 0]
            response.userInfo = values
        case "text":
            response.userString = "a text of \(words.count) words"
            response.userInfo = ["ignored": true]
        case "date": response.userInfo = ["list": [["when": Date()]]]
        case "endless": response.userInfo = ["number": Double.infinity]
        case "large": response.userInfo = ["text": String(repeating: "x", count: 70_000)]
        case "long": response.userString = String(repeating: "x", count: 70_000)
        case "deep":
            var value: Any = "end"
            for _ in 0..<1000 { value = [value] }
            response.userInfo = ["list": value]
        case "hang": sleep(1000)
        case "die": exit(9)
        default: break
        }
        return response
    }
}

/// A view that does not say what to do.
final class SilentReporter: ReporterBase {}

/// A class that reports nothing.
final class Stranger: UIViewController {}

@main struct Main { static func main() { NSExtensionMain() } }
