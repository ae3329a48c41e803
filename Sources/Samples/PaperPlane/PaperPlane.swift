// PaperPlane: the intents of a messaging app, and one of its own.

import Intents

/// Knows three people, and sends messages to them. Two of them are called Anna, so the person has to choose.
final class PaperPlane: INExtension {
    static let people = [
        person("Anna Berg", "anna.berg@example.org"), person("Anna Lind", "anna.lind@example.org"),
        person("Tom", "+15555550123"),
    ]

    private static func person(_ name: String, _ address: String) -> INPerson {
        INPerson(
            personHandle: INPersonHandle(value: address, type: address.hasPrefix("+") ? .phoneNumber : .emailAddress),
            nameComponents: nil, displayName: name, image: nil, contactIdentifier: nil, customIdentifier: address)
    }

    override func handler(for intent: INIntent) -> Any? {
        switch intent {
        case is INSendMessageIntent, is INSearchForMessagesIntent: Messenger()
        case is FoldPlaneIntent: Folder()
        default: nil
        }
    }
}

/// Sends messages, and finds them.
final class Messenger: NSObject, INSendMessageIntentHandling, INSearchForMessagesIntentHandling {
    func resolveRecipients(
        for intent: INSendMessageIntent,
        with completion: @escaping ([INSendMessageRecipientResolutionResult]) -> Void
    ) {
        guard let recipients = intent.recipients, !recipients.isEmpty else { return completion([.needsValue()]) }
        completion(
            recipients.map { wanted in
                let known = PaperPlane.people.filter {
                    $0.customIdentifier == wanted.customIdentifier || $0.displayName == wanted.displayName
                        || wanted.customIdentifier == nil && $0.displayName.hasPrefix(wanted.displayName)
                }
                switch known.count {
                case 0: return .unsupported(forReason: .noAccount)
                case 1: return .success(with: known[0])
                default: return .disambiguation(with: known)
                }
            })
    }

    func resolveContent(
        for intent: INSendMessageIntent, with completion: @escaping (INStringResolutionResult) -> Void
    ) {
        guard let content = intent.content, !content.isEmpty else { return completion(.needsValue()) }
        completion(.success(with: content))
    }

    func confirm(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
        completion(INSendMessageIntentResponse(code: .ready, userActivity: nil))
    }

    func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
        let response = INSendMessageIntentResponse(code: .success, userActivity: nil)
        response.sentMessage = INMessage(
            identifier: "1", content: intent.content, dateSent: nil, sender: nil, recipients: intent.recipients)
        completion(response)
    }

    func handle(intent: INSearchForMessagesIntent) async -> INSearchForMessagesIntentResponse {
        let response = INSearchForMessagesIntentResponse(
            code: .success, userActivity: NSUserActivity(activityType: "org.exthost.samples.paper-plane.search"))
        response.messages = [
            INMessage(
                identifier: "1", content: "The plane has landed.", dateSent: nil, sender: PaperPlane.people[2],
                recipients: nil)
        ]
        return response
    }
}

// MARK: An intent of the app's own

/// A plane that is folded: a class such as Xcode generates, with the tables by which the framework knows it.
final class FoldPlaneIntent: INIntent {
    var colour: String?
    var count: NSNumber?

    override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter("colour", \FoldPlaneIntent.colour),
            _IntentParameter(
                "count", \FoldPlaneIntent.count, as: .integer,
                resolve: { (handler: any FoldPlaneIntentHandling, intent, answer) in
                    handler.resolveCount(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveCount(for: intent) }),
        ]
    }

    override class var _handling: _IntentHandling? {
        _IntentHandling(
            "FoldPlaneIntentHandling",
            confirm: { (handler: any FoldPlaneIntentHandling, intent: FoldPlaneIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

protocol FoldPlaneIntentHandling: NSObjectProtocol {
    func resolveCount(for intent: FoldPlaneIntent, with completion: @escaping (INIntegerResolutionResult) -> Void)
    func resolveCount(for intent: FoldPlaneIntent) async -> INIntegerResolutionResult
    func confirm(intent: FoldPlaneIntent, completion: @escaping (FoldPlaneIntentResponse) -> Void)
    func confirm(intent: FoldPlaneIntent) async -> FoldPlaneIntentResponse
    func handle(intent: FoldPlaneIntent, completion: @escaping (FoldPlaneIntentResponse) -> Void)
    func handle(intent: FoldPlaneIntent) async -> FoldPlaneIntentResponse
}

extension FoldPlaneIntentHandling {
    func resolveCount(for intent: FoldPlaneIntent, with completion: @escaping (INIntegerResolutionResult) -> Void) {
        _intentMethodNotWritten("resolveCount(for:with:)")
    }
    func resolveCount(for intent: FoldPlaneIntent) async -> INIntegerResolutionResult {
        _intentMethodNotWritten("resolveCount(for:)")
        return .notRequired()
    }
    func confirm(intent: FoldPlaneIntent, completion: @escaping (FoldPlaneIntentResponse) -> Void) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }
    func confirm(intent: FoldPlaneIntent) async -> FoldPlaneIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return FoldPlaneIntentResponse()
    }
    func handle(intent: FoldPlaneIntent, completion: @escaping (FoldPlaneIntentResponse) -> Void) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }
    func handle(intent: FoldPlaneIntent) async -> FoldPlaneIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return FoldPlaneIntentResponse()
    }
}

enum FoldPlaneIntentResponseCode: Int {
    case unspecified, ready, continueInApp, inProgress, success, failure, failureRequiringAppLaunch
    case outOfPaper = 100
}

final class FoldPlaneIntentResponse: INIntentResponse {
    var code = FoldPlaneIntentResponseCode.unspecified
    var sheets: NSNumber?

    convenience init(code: FoldPlaneIntentResponseCode, userActivity: NSUserActivity?) {
        self.init()
        (self.code, self.userActivity) = (code, userActivity)
    }

    override var _code: _IntentCode { _IntentCode(code, isSuccess: code == .outOfPaper ? false : nil) }
    override func _setCode(_ number: Int) { code = FoldPlaneIntentResponseCode(rawValue: number) ?? code }
    override class var _properties: [_IntentProperty] {
        [_IntentProperty("sheets", \FoldPlaneIntentResponse.sheets, as: .integer)]
    }
}

/// Folds planes, ten at most.
final class Folder: NSObject, FoldPlaneIntentHandling {
    func resolveCount(for intent: FoldPlaneIntent, with completion: @escaping (INIntegerResolutionResult) -> Void) {
        guard let count = intent.count?.intValue else { return completion(.confirmationRequired(with: 1)) }
        completion(count > 0 ? .success(with: count) : .unsupported())
    }

    func handle(intent: FoldPlaneIntent) async -> FoldPlaneIntentResponse {
        let count = intent.count?.intValue ?? 0
        guard count <= 10 else { return FoldPlaneIntentResponse(code: .outOfPaper, userActivity: nil) }
        let response = FoldPlaneIntentResponse(code: .success, userActivity: nil)
        response.sheets = NSNumber(value: count)
        return response
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
