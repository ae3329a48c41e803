// Examples: values of every message of the vocabularies, with all optional properties and without any.

import ExtensionPointKit
import PointMessages

/// A value of a vocabulary, its type forgotten.
struct Example: Sendable {
    /// The kind of value. The rest of the name tells several examples of a kind apart.
    enum Kind: String, Sendable { case call, reply, part }

    let message: String
    let kind: Kind
    let variant: String
    let value: any Codable & Sendable
    private let decoding: @Sendable (EncodedValue) throws -> any Codable & Sendable

    init<Value: Codable & Sendable>(_ message: String, _ kind: Kind, _ variant: String, _ value: Value) {
        (self.message, self.kind, self.variant, self.value) = (message, kind, variant, value)
        decoding = { try PointDecoder.decode(Value.self, from: $0) }
    }

    /// The name of the golden file.
    var name: String { "\(message).\(kind)\(variant.isEmpty ? "" : ".\(variant)")" }

    func encoded() throws -> EncodedValue { try PointEncoder.encode(value) }
    func decoded(_ encoded: EncodedValue) throws -> any Codable & Sendable { try decoding(encoded) }
}

/// The examples of one message.
struct MessageExamples: Sendable {
    let type: any PointMessage.Type
    let all: [Example]

    /// - Parameters:
    ///   - calls: the call, by variant. `full` has all optional properties, `bare` has none; a type without optional
    ///     properties needs one example, `""`.
    ///   - replies: the reply, likewise.
    ///   - parts: a part of the reply, likewise, if the message has any.
    init<Message: PointMessage>(
        _ type: Message.Type, _ calls: KeyValuePairs<String, Message>,
        replies: KeyValuePairs<String, Message.Reply>, parts: KeyValuePairs<String, Message.Part> = [:]
    ) {
        self.type = type
        all =
            calls.map { Example(Message.name, .call, $0.key, $0.value) }
            + replies.map { Example(Message.name, .reply, $0.key, $0.value) }
            + parts.map { Example(Message.name, .part, $0.key, $0.value) }
    }

    init<Message: PointMessage>(_ type: Message.Type, _ calls: KeyValuePairs<String, Message>)
    where Message.Reply == Nothing {
        self.init(type, calls, replies: ["": Nothing()])
    }
}

private let margins = TodayMargins(top: 1, left: 2.5, bottom: -3, right: 0)

private let picture = TodayPicture(
    view: PointValue(["kind": "group", "children": [["kind": "label", "text": "update 1"]]]), height: 110.5,
    mode: .expanded, isClipped: true)

private let modes = {
    var modes = TodayModes()
    modes.offer(.expanded)
    modes.choose(.expanded)
    return modes
}()

private func content(isFull: Bool) throws -> NotificationContent {
    var content = NotificationContent()
    guard isFull else { return content }
    (content.title, content.subtitle, content.body) = ("Title", "Subtitle", "Bödy 日")
    (content.badge, content.sound) = (3, "default")
    (content.category, content.thread) = ("message", "thread-7")
    (content.soundIsCritical, content.soundVolume, content.launchImage) = (true, 0.5, "launch")
    (content.summaryArgument, content.summaryArgumentCount) = ("Ann", 2)
    (content.targetContent, content.interruption) = ("window", .timeSensitive)
    (content.relevance, content.filterCriteria) = (0.25, "work")
    content.userInfo = PointValue(["aps": ["alert": "hello", "mutable-content": 1], "data": .data([0, 255])])
    content.attachments = [
        NotificationAttachment(
            identifier: "a", type: "public.png", fileName: "a.png", file: try PointFile(readingAt: "/etc/passwd"))
    ]
    return content
}

private let notificationView = NotificationView(height: 150, media: .overlay, mediaFrame: [1, 2, 30, 40])

private let likeButton = NotificationAction(identifier: "like", title: "Like", options: 2)
private let replyButton = NotificationAction(
    identifier: "reply", title: "Reply", textButton: "Send", placeholder: "Words")

private func keysContext(isFull: Bool) -> KeysContext {
    KeysContext(
        sequence: 7, hasText: true, before: isFull ? "Grüße 日" : nil, selected: isFull ? "an" : nil,
        after: isFull ? " alle" : nil)
}

private func keysDocument(isFull: Bool) -> KeysDocument {
    var traits = KeysTraits()
    (traits.keyboard, traits.appearance, traits.returnKey) = (.emailAddress, .dark, .continue)
    (traits.capitalization, traits.correction, traits.spellChecking) = (.none, .no, .yes)
    (traits.enablesReturnKeyAutomatically, traits.isSecure, traits.content) = (true, true, "email")
    return KeysDocument(
        document: "D0C00000-0000-4000-8000-000000000001", traits: traits, context: keysContext(isFull: isFull),
        settings: KeysSettings(width: 390, mirrorDelay: 0.033, needsSwitchKey: true, fullAccess: true))
}

private func keysEdits(isFull: Bool) -> KeysEdits {
    let edit = isFull ? KeysEdit(.mark, text: "日本", location: 1, length: 1) : KeysEdit(.delete)
    return KeysEdits(document: "D0C00000-0000-4000-8000-000000000001", first: 12, edits: [edit])
}

private let keysState = KeysState(keys: ["q", "w", "space"], height: 216, offersSwitch: true)

private let adjustment = PhotoAdjustment(
    formatIdentifier: "org.example.sepia", formatVersion: "1.0", data: [0, 1, 255])

private func input(isFull: Bool) throws -> PhotoInput {
    PhotoInput(
        media: .image, subtypes: isFull ? 4 : 0, created: isFull ? 1_400_000_000.5 : nil,
        place: isFull ? PhotoPlace(latitude: 48.5, longitude: -9) : nil, type: "public.jpeg", orientation: 6,
        adjustment: isFull ? adjustment : nil, fileName: "a.jpg", file: try PointFile(readingAt: "/etc/passwd"))
}

/// All messages of `PointMessages`. `GoldenTests` fails for a message without examples.
func examples() throws -> [MessageExamples] {
    [
        MessageExamples(
            TodaySettings.self,
            [
                "full": TodaySettings(
                    width: 359, compactHeight: 110, largestHeight: 616, mode: .expanded, margins: margins),
                "bare": TodaySettings(
                    width: 327, compactHeight: nil, largestHeight: 540.5, mode: .compact, margins: nil),
            ],
            replies: [
                "full": TodaySettings.Reply(modes: modes, margins: margins),
                "bare": TodaySettings.Reply(modes: TodayModes()),
            ]),
        MessageExamples(
            TodayUpdate.self, ["": TodayUpdate()],
            replies: [
                "newData": TodayUpdate.Reply(.newData), "noData": TodayUpdate.Reply(.noData),
                "failed": TodayUpdate.Reply(.failed), "notWritten": TodayUpdate.Reply(.notWritten),
            ]),
        MessageExamples(TodaySnapshot.self, ["": TodaySnapshot()], replies: ["": picture]),
        MessageExamples(TodayAppear.self, ["": TodayAppear()], replies: ["": modes]),
        MessageExamples(TodayModeChange.self, ["": TodayModeChange(.expanded)], replies: ["": modes]),
        MessageExamples(TodayDisappear.self, ["": TodayDisappear()], replies: ["": picture]),
        MessageExamples(TodayEnd.self, ["": TodayEnd()]),
        MessageExamples(TodayLargestMode.self, ["": TodayLargestMode(modes)]),
        MessageExamples(
            ReceiveNotification.self,
            [
                "full": ReceiveNotification(identifier: "n-1", content: try content(isFull: true)),
                "bare": ReceiveNotification(identifier: "", content: try content(isFull: false)),
            ],
            replies: [
                "full": ReceiveNotification.Reply(try content(isFull: true)),
                "bare": ReceiveNotification.Reply(try content(isFull: false)),
            ]),
        MessageExamples(
            ShowNotification.self,
            [
                "full": ShowNotification(
                    identifier: "n-1", content: try content(isFull: true), date: 1.5, actions: [replyButton],
                    width: 375,
                    height: 150),
                "bare": ShowNotification(
                    identifier: "", content: try content(isFull: false), date: 0, actions: [likeButton], width: 1,
                    height: 1),
            ], replies: ["": notificationView]),
        MessageExamples(LookAtNotification.self, ["": LookAtNotification()], replies: ["": notificationView]),
        MessageExamples(
            RespondToNotification.self,
            [
                "full": RespondToNotification(action: "reply", text: "so be it", notification: "n-1"),
                "bare": RespondToNotification(action: "like", notification: "n-1"),
            ],
            replies: [
                "stay": .init(.stay, notificationView), "dismiss": .init(.dismiss, notificationView),
                "forward": .init(.forward, notificationView), "notWritten": .init(.notWritten, notificationView),
            ]),
        MessageExamples(
            PressMediaButton.self, ["": PressMediaButton(plays: true)],
            replies: ["": NotificationView(height: 1.5, media: .default)]),
        MessageExamples(CloseNotification.self, ["": CloseNotification()]),
        MessageExamples(
            ChangeNotificationActions.self,
            ["full": ChangeNotificationActions([replyButton]), "bare": ChangeNotificationActions([likeButton])]),
        MessageExamples(NotificationMediaState.self, ["": NotificationMediaState(isPlaying: true)]),
        MessageExamples(LeaveNotification.self, ["": LeaveNotification(opensApp: true)]),
        MessageExamples(
            KeysDocument.self, ["full": keysDocument(isFull: true), "bare": keysDocument(isFull: false)],
            replies: ["": keysState]),
        MessageExamples(KeysAppear.self, ["": KeysAppear()], replies: ["": keysState]),
        MessageExamples(KeysDisappear.self, ["": KeysDisappear()], replies: ["": keysState]),
        MessageExamples(
            KeysChange.self,
            [
                "full": KeysChange(keysContext(isFull: true), isMove: true),
                "bare": KeysChange(keysContext(isFull: false), isMove: false),
            ], replies: ["": keysState]),
        MessageExamples(
            KeysTap.self, ["full": KeysTap(number: 3, key: "q", place: 0), "bare": KeysTap(number: 3)],
            replies: ["": keysState]),
        MessageExamples(KeysEnd.self, ["": KeysEnd()], replies: ["": keysState]),
        MessageExamples(
            KeysEdits.self, ["full": keysEdits(isFull: true), "bare": keysEdits(isFull: false)],
            replies: [
                "full": KeysEdits.Reply(keysContext(isFull: true)), "bare": KeysEdits.Reply(keysContext(isFull: false)),
            ]),
        MessageExamples(
            KeysLexicon.self, ["": KeysLexicon()],
            replies: ["": KeysLexicon.Reply([KeysLexicon.Entry(userInput: "omw", documentText: "On my way!")])]),
        MessageExamples(
            PhotoCanHandle.self, ["": PhotoCanHandle(adjustment)], replies: ["": PhotoCanHandle.Reply(true)]),
        MessageExamples(
            PhotoStart.self,
            [
                "full": PhotoStart(
                    input: try input(isFull: true), placeholder: try PointFile(readingAt: "/etc/passwd")),
                "bare": PhotoStart(input: try input(isFull: false), placeholder: nil),
            ]),
        MessageExamples(
            PhotoFinish.self, ["": PhotoFinish()],
            replies: [
                "full": PhotoFinish.Reply(
                    PhotoOutput(
                        adjustment: adjustment, returnsInputAdjustment: false,
                        rendering: try PointFile(readingAt: "/etc/passwd"))),
                "bare": PhotoFinish.Reply(nil),
            ]),
        MessageExamples(
            PhotoShouldConfirm.self, ["": PhotoShouldConfirm()], replies: ["": PhotoShouldConfirm.Reply(true)]),
        MessageExamples(PhotoCancel.self, ["": PhotoCancel()]),
        MessageExamples(PhotoEnd.self, ["": PhotoEnd()]),
        MessageExamples(ReindexAllItems.self, ["": ReindexAllItems()]),
        MessageExamples(ReindexItems.self, ["": ReindexItems(["note-1", "日"])]),
        MessageExamples(IndexThrottled.self, ["": IndexThrottled()]),
        MessageExamples(IndexUnthrottled.self, ["": IndexUnthrottled()]),
        MessageExamples(
            IndexedData.self, ["": IndexedData("note-1", type: "public.text")],
            replies: ["": IndexedData.Reply([0, 255])]),
        MessageExamples(
            IndexedFile.self, ["": IndexedFile("note-1", type: "public.text", inPlace: true)],
            replies: ["": IndexedFile.Reply(name: "note.txt", file: try PointFile(readingAt: "/etc/passwd"))]),
        MessageExamples(IndexEnd.self, ["": IndexEnd()]),
        MessageExamples(
            ImportFile.self,
            [
                "": ImportFile(
                    fileName: "note.txt", type: "public.plain-text", file: try PointFile(readingAt: "/etc/passwd"))
            ],
            replies: [
                "full": ImportFile.Reply(spotlightItem(isFull: true)),
                "bare": ImportFile.Reply(spotlightItem(isFull: false)),
            ]),
        MessageExamples(EndImport.self, ["": EndImport()]),
    ]
}
