// INShortcut: actions that an app suggests to a person. Nothing offers them here.

public import ExtensionFoundation
public import Foundation
import Locks

/// The error of the calls that would need the system's assistant.
enum ShortcutError {
    static func make(_ words: String) -> any Error {
        CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "notSimulated: \(words)"])
    }
}

/// An action of an app. It is kept only.
public enum INShortcut: Hashable {
    case intent(INIntent)
    case userActivity(NSUserActivity)
}

extension INShortcut {
    /// Makes the shortcut of an intent.
    ///
    /// - Parameter intent: the intent.
    /// - Returns: never nil here: nothing checks the combinations of parameters that the app supports.
    public init?(intent: INIntent) { self = .intent(intent) }

    /// Makes the shortcut of an activity.
    ///
    /// - Parameter userActivity: the activity.
    public init(userActivity: NSUserActivity) { self = .userActivity(userActivity) }

    /// The intent; nil for an activity.
    public var intent: INIntent? {
        if case .intent(let intent) = self { intent } else { nil }
    }

    /// The activity; nil for an intent.
    public var userActivity: NSUserActivity? {
        if case .userActivity(let activity) = self { activity } else { nil }
    }
}

/// A shortcut with a phrase that a person has recorded. None is recorded here.
open class INVoiceShortcut: NSObject {
    public let identifier: UUID
    /// The recorded phrase.
    public let invocationPhrase: String
    public let shortcut: INShortcut

    init(_ identifier: UUID, _ phrase: String, _ shortcut: INShortcut) {
        (self.identifier, invocationPhrase, self.shortcut) = (identifier, phrase, shortcut)
    }
}

/// The list of shortcuts with phrases, which is empty: no assistant listens. Safe to use from any thread.
open class INVoiceShortcutCenter: NSObject, @unchecked Sendable {  // has no state
    public static let shared = INVoiceShortcutCenter()

    /// Suggests shortcuts to the assistant, without effect.
    ///
    /// - Parameter suggestions: the shortcuts.
    open func setShortcutSuggestions(_ suggestions: [INShortcut]) {}

    /// Gets the shortcuts with phrases.
    ///
    /// - Parameter completionHandler: called on another thread, with an empty list.
    open func getAllVoiceShortcuts(completion completionHandler: @escaping ([INVoiceShortcut]?, (any Error)?) -> Void) {
        nonisolated(unsafe) let call = completionHandler  // called once
        DispatchQueue.global().async { call([], nil) }
    }

    /// Gets a shortcut with a phrase.
    ///
    /// - Parameters:
    ///   - identifier: its identifier.
    ///   - completionHandler: called on another thread, with an error, whose words begin with `notSimulated`.
    open func getVoiceShortcut(
        with identifier: UUID, completion completionHandler: @escaping (INVoiceShortcut?, (any Error)?) -> Void
    ) {
        nonisolated(unsafe) let call = completionHandler  // called once
        DispatchQueue.global().async { call(nil, ShortcutError.make("no phrase is recorded for a shortcut")) }
    }
}

/// The look of a suggested shortcut on a watch. It is kept only.
open class INDefaultCardTemplate: NSObject {
    open var title: String
    open var subtitle: String?
    open var image: INImage?

    /// - Parameter title: the title.
    public init(title: String) { self.title = title }
}

/// The reason why a shortcut is of use at a time or place. It is kept only.
open class INRelevanceProvider: NSObject {}

/// A situation of the day.
open class INDailyRoutineRelevanceProvider: INRelevanceProvider {
    public enum Situation: Int, Sendable { case morning, evening, home, work, school, gym, commute }
    public let situation: Situation

    /// - Parameter situation: the situation.
    public init(situation: Situation) { self.situation = situation }
}

/// A time.
open class INDateRelevanceProvider: INRelevanceProvider {
    public let startDate: Date
    public let endDate: Date?

    /// - Parameters:
    ///   - start: the beginning.
    ///   - end: the end; nil for a single time.
    public init(start: Date, end: Date?) { (startDate, endDate) = (start, end) }
}

/// A shortcut with the times at which it is of use. It is kept only.
open class INRelevantShortcut: NSObject {
    public let shortcut: INShortcut
    open var relevanceProviders: [INRelevanceProvider] = []
    open var watchTemplate: INDefaultCardTemplate?
    open var shortcutRole = INRelevantShortcutRole.action

    /// - Parameter shortcut: the shortcut.
    public init(shortcut: INShortcut) { self.shortcut = shortcut }
}

/// The uses of a shortcut on a watch.
public enum INRelevantShortcutRole: Int, Sendable { case action, information }

/// The list of shortcuts for a watch, of which there is none. Safe to use from any thread.
open class INRelevantShortcutStore: NSObject, @unchecked Sendable {  // has no state
    public static let `default` = INRelevantShortcutStore()

    /// Fails: there is no watch that would show them.
    ///
    /// - Parameters:
    ///   - shortcuts: the shortcuts.
    ///   - completionHandler: called on another thread, with an error, whose words begin with `notSimulated`.
    open func setRelevantShortcuts(
        _ shortcuts: [INRelevantShortcut], completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        guard let completionHandler else { return }
        nonisolated(unsafe) let call = completionHandler  // called once
        DispatchQueue.global().async { call(ShortcutError.make("no watch shows relevant shortcuts")) }
    }
}
