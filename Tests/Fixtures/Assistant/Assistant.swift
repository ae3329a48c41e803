// Assistant: does what the content of a message says, for IntentsTests.

import Intents

final class Assistant: INExtension, INSendMessageIntentHandling {
    private var completion: ((INSendMessageIntentResponse) -> Void)?

    override func handler(for intent: INIntent) -> Any? {
        guard let intent = intent as? INSendMessageIntent else { return self }
        switch intent.serviceName {
        case "nobody": return nil
        case "stranger": return NSString("stranger")
        default: return self
        }
    }

    func resolveRecipients(
        for intent: INSendMessageIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    ) {
        // The form of iOS 10.
        guard let recipients = intent.recipients else { return completion([.needsValue()]) }
        if recipients.first?.displayName == "kept" { return completion([.notRequired()]) }
        completion(
            recipients.map { person in
                switch person.displayName {
                case "unknown": return .unsupported()
                case "absent": return .notRequired()
                case "many":
                    return .disambiguation(with: [Self.person("first"), Self.person("second")])
                case "sure": return .confirmationRequired(with: Self.person("surely"))
                default: return .success(with: person)
                }
            })
    }

    private static func person(_ name: String) -> INPerson {
        INPerson(
            personHandle: INPersonHandle(value: "\(name)@example.org", type: .emailAddress), nameComponents: nil,
            displayName: name, image: nil, contactIdentifier: nil, customIdentifier: nil)
    }

    func resolveContent(
        for intent: INSendMessageIntent, with completion: @escaping (INStringResolutionResult) -> Void
    ) {
        switch intent.content {
        case "again": completion(.needsValue())
        case "wrong": completion(.confirmationRequiredWithItem(toConfirm: 7, forReason: 3))
        case "reason": completion(.unsupported(forReason: 3))
        case "many":
            completion(.disambiguation(with: (0..<1_001).map { "\($0)" }))
        case "drop resolve": break
        default: completion(.notRequired())
        }
    }

    func confirm(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
        let code: INSendMessageIntentResponseCode = intent.content == "refuse" ? .failureRequiringAppLaunch : .ready
        completion(INSendMessageIntentResponse(code: code, userActivity: nil))
    }

    func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
        let activity = NSUserActivity(activityType: "org.exthost.tests.send")
        activity.userInfo = ["count": 3, "name": "x", "object": self]
        let response = INSendMessageIntentResponse(code: .success, userActivity: activity)
        switch intent.content {
        case "hang": self.completion = completion
        case "drop": break
        case "die": exit(1)
        case "fail": completion(INSendMessageIntentResponse(code: .failure, userActivity: nil))
        case "twice":
            completion(response)
            completion(INSendMessageIntentResponse(code: .failure, userActivity: nil))
        case "huge":
            response.sentMessages = (0..<20_000).map {
                INMessage(identifier: "\($0)", content: "x", dateSent: nil, sender: nil, recipients: nil)
            }
            completion(response)
        default:
            response.sentMessage = INMessage(
                identifier: intent.identifier ?? "", content: intent.content, dateSent: Date(timeIntervalSince1970: 5),
                sender: intent.sender, recipients: intent.recipients)
            completion(response)
        }
    }
}

/// The async forms.
final class LaterAssistant: INExtension, INSendMessageIntentHandling {
    func resolveContent(for intent: INSendMessageIntent) async -> INStringResolutionResult {
        .success(with: (intent.content ?? "") + "!")
    }
    func handle(intent: INSendMessageIntent) async -> INSendMessageIntentResponse {
        INSendMessageIntentResponse(code: intent.content == "Hello!" ? .success : .failure, userActivity: nil)
    }
}

/// An extension that adopts no protocol.
final class IdleAssistant: INExtension {}

/// A class that is no `INExtension`.
final class NoAssistant: NSObject {}

@main struct Main { static func main() { NSExtensionMain() } }
