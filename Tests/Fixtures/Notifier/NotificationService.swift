// NotificationService: does what the payload of a notification says, for NotificationServiceTests.

import ExtensionFoundation
import Intents
import UserNotifications

final class NotificationService: UNNotificationServiceExtension {
    private var contentHandler: ((UNNotificationContent) -> Void)?
    private var bestAttemptContent: UNMutableNotificationContent?
    /// The number of this object in its process, from 1.
    private let number = Forgotten.shared.serviceMade()

    deinit { Forgotten.shared.serviceGone() }

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else { return }
        bestAttemptContent = content
        content.title += " [changed]"
        switch content.userInfo["act"] as? String {
        case "describe":
            content.title = request.identifier.isEmpty ? "" : "\(request.trigger is UNPushNotificationTrigger)"
            content.body = [
                content.title, content.subtitle, content.categoryIdentifier, content.threadIdentifier,
                content.badge.map { "\($0)" } ?? "no badge", content.sound == .default ? "default" : "no sound",
                (content.userInfo["list"] as? [Int])?.description ?? "no list",
            ].joined(separator: "|")
            contentHandler(content)
        case "levels":
            content.subtitle = [
                "\(content.interruptionLevel)", "\(content.relevanceScore)", content.filterCriteria ?? "",
                content.targetContentIdentifier ?? "",
                "\(content.sound == .criticalSoundNamed(UNNotificationSoundName("alarm.caf"), withAudioVolume: 0.5))",
            ].joined(separator: " ")
            (content.interruptionLevel, content.relevanceScore, content.filterCriteria) = (.passive, 1, nil)
            content.sound = .criticalSoundNamed(UNNotificationSoundName(rawValue: "ring.caf"), withAudioVolume: 7)
            (content.summaryArgument, content.summaryArgumentCount) = ("Ada", 2)
            contentHandler(content)
        case "plain": contentHandler(request.content)
        case "center": return askCenter(content, contentHandler)
        case "message": return tellOfMessage(content, contentHandler)
        case "print":
            print("printed by the service")
            contentHandler(content)
        case "useNetwork":
            _ = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            contentHandler(content)
        case "hang": return self.contentHandler = contentHandler
        case "count":
            content.body = "object \(number), \(Forgotten.shared.services) alive"
            contentHandler(content)
        case "keep":
            // Until another notification names it.
            content.body = "object \(number) got \(request.identifier)"
            self.contentHandler = contentHandler
            Forgotten.shared.keep(request.identifier) { contentHandler(content) }
        case "answer":
            for name in content.userInfo["names"] as? [String] ?? [] { Forgotten.shared.take(name)?() }
            contentHandler(content)
        case "block":
            // Until another notification releases it.
            Forgotten.shared.block.wait()
            contentHandler(content)
        case "release":
            Forgotten.shared.block.signal()
            contentHandler(content)
        case "hangForEver": Forgotten.shared.keep(contentHandler)
        case "drop": return
        case "twice":
            contentHandler(content)
            content.title = "second"
            contentHandler(content)
        case "exit": exit(1)
        case "empty":
            (content.title, content.body) = ("", "")
            contentHandler(content)
        case "attach":
            let name = content.userInfo["file"] as? String ?? ""
            attach(name, size: content.userInfo["size"] as? Int ?? 3, to: content)
            if content.userInfo["keepObject"] != nil { Forgotten.shared.keep(content.attachments) }
            if content.userInfo["forget"] != nil { content.attachments = [] }
            guard content.userInfo["hang"] == nil else { return self.contentHandler = contentHandler }
            contentHandler(content)
        case "fill":
            var films: [UNNotificationAttachment] = []
            func film() { attach("film.mp4", size: 50_000_000, to: content) }
            while films.count < 9, case _ = film(), let film = content.attachments.first {
                films.append(film)
                content.attachments = []
            }
            let error = content.subtitle
            let count = films.count
            films.removeLast()
            film()
            content.attachments = []
            content.subtitle = "\(count) then \(error) then \(content.subtitle)"
            contentHandler(content)
        case "attachAtOnce":
            // With `shared` they all move one file, else each moves its own of the same name.
            let name = content.userInfo["shared"] == nil ? request.identifier : "shared"
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent("picture.png")
            try? Data(name.utf8).write(to: file)
            Forgotten.shared.meet(content.userInfo["count"] as? Int ?? 1)
            attach(file, to: content)
            contentHandler(content)
        case "attachBundled":
            let file = Bundle.main.bundleURL.appendingPathComponent("Info.plist")
            do {
                content.attachments = [
                    try UNNotificationAttachment(
                        identifier: "", url: file, options: [UNNotificationAttachmentOptionsTypeHintKey: "public.png"])
                ]
                content.subtitle = FileManager.default.fileExists(atPath: file.path) ? "still there" : "moved"
            } catch {
                content.subtitle = "\(error)"
            }
            contentHandler(content)
        case "attachLink":
            let link = FileManager.default.temporaryDirectory.appendingPathComponent("link.png")
            try? FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/etc/passwd")
            attach(link, to: content)
            contentHandler(content)
        default: contentHandler(content)
        }
    }

    /// Writes the answers of the center of notifications into the body.
    private func askCenter(
        _ content: UNMutableNotificationContent, _ contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let center = UNUserNotificationCenter.current()
        let action = UNTextInputNotificationAction(
            identifier: "reply", title: "Reply", options: [.foreground], textInputButtonTitle: "Send",
            textInputPlaceholder: "Words")
        center.setNotificationCategories([
            UNNotificationCategory(identifier: "letters", actions: [action], intentIdentifiers: [])
        ])
        let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: true)
        let request = UNNotificationRequest(identifier: "later", content: content, trigger: trigger)
        center.add(request) { added in
            center.requestAuthorization(options: [.alert, .sound]) { granted, refused in
                center.getPendingNotificationRequests { pending in
                    center.getDeliveredNotifications { delivered in
                        center.getNotificationSettings { settings in
                            center.getNotificationCategories { categories in
                                let names = categories.flatMap(\.actions).map(\.identifier)
                                content.body = [
                                    Self.code(added), "\(granted)", Self.code(refused), "\(pending.count)",
                                    "\(delivered.count)", "\(settings.authorizationStatus)",
                                    "\(settings.alertSetting)", names.joined(),
                                ].joined(separator: " ")
                                contentHandler(content)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Donates the message that the notification is about, as a messenger's service does.
    private func tellOfMessage(
        _ content: UNMutableNotificationContent, _ contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let picture = INImage(imageData: Data([1]))
        let sender = INPerson(
            personHandle: INPersonHandle(value: "ada@example.org", type: .emailAddress), nameComponents: nil,
            displayName: nil, image: picture, contactIdentifier: nil, customIdentifier: "7", isMe: false,
            suggestionType: .none)
        let intent = INSendMessageIntent(
            recipients: nil, outgoingMessageType: .outgoingMessageText, content: content.body,
            speakableGroupName: INSpeakableString(spokenPhrase: "Engines"), conversationIdentifier: "3",
            serviceName: nil, sender: sender, attachments: nil)
        intent.setImage(picture, forParameterNamed: \.speakableGroupName)
        let interaction = INInteraction(intent: intent, response: nil)
        interaction.direction = .incoming
        interaction.donate { error in
            let isKept =
                intent.image(forParameterNamed: \.speakableGroupName) === picture
                && intent.image(forParameterNamed: \.sender) == nil && error == nil
            content.subtitle = "\(sender.displayName) \(intent.speakableGroupName?.spokenPhrase ?? "") \(isKept)"
            let updated = try? content.updating(from: intent) as? UNMutableNotificationContent
            contentHandler(updated ?? UNNotificationContent())
        }
    }

    private static func code(_ error: (any Error)?) -> String {
        (error as? ExtensionHostError).map { "\($0.code)" } ?? "no error"
    }

    private func attach(_ name: String, size: Int, to content: UNMutableNotificationContent) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        // A file with a hole takes no room.
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        _ = truncate(file.path, size)
        attach(file, to: content)
    }

    private func attach(_ file: URL, to content: UNMutableNotificationContent) {
        do {
            content.attachments = [try UNNotificationAttachment(identifier: "picture", url: file, options: nil)]
            content.subtitle = FileManager.default.fileExists(atPath: file.path) ? "still there" : "moved"
        } catch {
            content.attachments = []
            content.subtitle = "\((error as NSError).domain) \((error as NSError).code)"
        }
    }

    override func serviceExtensionTimeWillExpire() {
        if let contentHandler, let bestAttemptContent {
            bestAttemptContent.title = "in time"
            contentHandler(bestAttemptContent)
        }
    }
}

/// The state that outlives a notification in this process.
final class Forgotten: @unchecked Sendable {  // behind the lock
    static let shared = Forgotten()
    let block = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var answers: [String: () -> Void] = [:]
    private var objects: [Any] = []
    private var made = 0
    private var gone = 0

    /// Keeps a handler that nobody calls and nobody releases.
    func keep(_ handler: @escaping (UNNotificationContent) -> Void) { keep(handler as Any) }

    func keep(_ name: String, _ answer: @escaping () -> Void) { lock.withLock { answers[name] = answer } }
    func take(_ name: String) -> (() -> Void)? { lock.withLock { answers.removeValue(forKey: name) } }

    private let meeting = NSCondition()
    private var arrived = 0
    private var meetings = 0

    /// Waits until so many threads wait here.
    func meet(_ count: Int) {
        meeting.lock()
        defer { meeting.unlock() }
        arrived += 1
        guard arrived < count else {
            (arrived, meetings) = (0, meetings + 1)
            return meeting.broadcast()
        }
        let number = meetings
        while meetings == number { meeting.wait() }
    }

    /// Keeps an object until the process ends.
    func keep(_ object: Any) { lock.withLock { objects.append(object) } }

    func serviceMade() -> Int {
        lock.withLock {
            made += 1
            return made
        }
    }
    func serviceGone() { lock.withLock { gone += 1 } }
    /// The number of service objects in this process.
    var services: Int { lock.withLock { made - gone } }
}

@main struct Main { static func main() { NSExtensionMain() } }
