// INAddTasksIntent: tasks that are added.

public import ExtensionFoundation
public import Foundation

/// Tasks that a person adds to a list.
open class INAddTasksIntent: INIntent {
    public internal(set) var targetTaskList: INTaskList?
    public internal(set) var taskTitles: [INSpeakableString]?
    public internal(set) var temporalEventTrigger: INTemporalEventTrigger?
    public internal(set) var priority = INTaskPriority.unknown

    /// Makes an intent without values.
    public required init() {}

    public init(
        targetTaskList: INTaskList?, taskTitles: [INSpeakableString]?, spatialEventTrigger: INSpatialEventTrigger?,
        temporalEventTrigger: INTemporalEventTrigger?, priority: INTaskPriority
    ) {
        super.init()
        self.targetTaskList = targetTaskList
        self.taskTitles = taskTitles
        self.temporalEventTrigger = temporalEventTrigger
        self.priority = priority
    }

    public init(
        targetTaskList: INTaskList?, taskTitles: [INSpeakableString]?, spatialEventTrigger: INSpatialEventTrigger?,
        temporalEventTrigger: INTemporalEventTrigger?
    ) {
        super.init()
        self.targetTaskList = targetTaskList
        self.taskTitles = taskTitles
        self.temporalEventTrigger = temporalEventTrigger
    }

    /// The place of the tasks. No host gives one.
    public internal(set) var spatialEventTrigger: INSpatialEventTrigger?

    public override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter(
                "targetTaskList", \INAddTasksIntent.targetTaskList,
                resolve: {
                    (
                        handler: any INAddTasksIntentHandling, intent,
                        answer: @escaping (INAddTasksTargetTaskListResolutionResult) -> Void
                    ) in
                    handler.resolveTargetTaskList(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveTargetTaskList(for: intent) }),
            _IntentParameter(
                "taskTitles", \INAddTasksIntent.taskTitles,
                resolve: {
                    (
                        handler: any INAddTasksIntentHandling, intent,
                        answer: @escaping ([INSpeakableStringResolutionResult]) -> Void
                    ) in
                    handler.resolveTaskTitles(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveTaskTitles(for: intent) }),
            _IntentParameter(
                "temporalEventTrigger", \INAddTasksIntent.temporalEventTrigger,
                resolve: {
                    (
                        handler: any INAddTasksIntentHandling, intent,
                        answer: @escaping (INAddTasksTemporalEventTriggerResolutionResult) -> Void
                    ) in
                    handler.resolveTemporalEventTrigger(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveTemporalEventTrigger(for: intent) }),
            _IntentParameter(
                "priority", \INAddTasksIntent.priority,
                resolve: {
                    (
                        handler: any INAddTasksIntentHandling, intent,
                        answer: @escaping (INTaskPriorityResolutionResult) -> Void
                    ) in
                    handler.resolvePriority(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolvePriority(for: intent) }),
        ]
    }

    public override class var _handling: _IntentHandling? {
        _IntentHandling(
            "INAddTasksIntentHandling",
            confirm: { (handler: any INAddTasksIntentHandling, intent: INAddTasksIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

/// The codes of a response to `INAddTasksIntent`. The numbers are from memory.
public enum INAddTasksIntentResponseCode: Int, Sendable, CaseIterable {
    case unspecified, ready, inProgress, success, failure, failureRequiringAppLaunch
}

/// The response to `INAddTasksIntent`.
open class INAddTasksIntentResponse: INIntentResponse {
    /// The code.
    public internal(set) var code = INAddTasksIntentResponseCode.unspecified
    open var addedTasks: [INTask]?
    open var modifiedTaskList: INTaskList?

    /// Makes a response without values.
    public required init() {}

    /// - Parameters:
    ///   - code: the code.
    ///   - userActivity: the activity with which the app continues.
    public init(code: INAddTasksIntentResponseCode, userActivity: NSUserActivity?) {
        super.init()
        self.code = code
        self.userActivity = userActivity
    }

    public override var _code: _IntentCode { _IntentCode(code) }
    public override func _setCode(_ number: Int) { code = .init(rawValue: number) ?? code }
    public override class var _properties: [_IntentProperty] {
        [
            _IntentProperty("addedTasks", \INAddTasksIntentResponse.addedTasks),
            _IntentProperty("modifiedTaskList", \INAddTasksIntentResponse.modifiedTaskList),
        ]
    }
}

/// The object that handles `INAddTasksIntent`.
///
/// An author writes one form of each method. Only `handle` is required.
public protocol INAddTasksIntentHandling: NSObjectProtocol {
    /// Resolves `targetTaskList`.
    func resolveTargetTaskList(
        for intent: INAddTasksIntent, with completion: @escaping (INAddTasksTargetTaskListResolutionResult) -> Void
    )
    /// The form of `resolveTargetTaskList(for:with:)` that Swift imports as `async`.
    func resolveTargetTaskList(for intent: INAddTasksIntent) async -> INAddTasksTargetTaskListResolutionResult
    /// Resolves `taskTitles`.
    func resolveTaskTitles(
        for intent: INAddTasksIntent, with completion: @escaping ([INSpeakableStringResolutionResult]) -> Void
    )
    /// The form of `resolveTaskTitles(for:with:)` that Swift imports as `async`.
    func resolveTaskTitles(for intent: INAddTasksIntent) async -> [INSpeakableStringResolutionResult]
    /// Resolves `temporalEventTrigger`.
    func resolveTemporalEventTrigger(
        for intent: INAddTasksIntent,
        with completion: @escaping (INAddTasksTemporalEventTriggerResolutionResult) -> Void
    )
    /// The form of `resolveTemporalEventTrigger(for:with:)` that Swift imports as `async`.
    func resolveTemporalEventTrigger(for intent: INAddTasksIntent) async
        -> INAddTasksTemporalEventTriggerResolutionResult
    /// Resolves `priority`.
    func resolvePriority(
        for intent: INAddTasksIntent, with completion: @escaping (INTaskPriorityResolutionResult) -> Void
    )
    /// The form of `resolvePriority(for:with:)` that Swift imports as `async`.
    func resolvePriority(for intent: INAddTasksIntent) async -> INTaskPriorityResolutionResult
    /// Checks whether the app can perform the intent.
    func confirm(intent: INAddTasksIntent, completion: @escaping (INAddTasksIntentResponse) -> Void)
    /// The form of `confirm(intent:completion:)` that Swift imports as `async`.
    func confirm(intent: INAddTasksIntent) async -> INAddTasksIntentResponse
    /// Performs the intent.
    func handle(intent: INAddTasksIntent, completion: @escaping (INAddTasksIntentResponse) -> Void)
    /// The form of `handle(intent:completion:)` that Swift imports as `async`.
    func handle(intent: INAddTasksIntent) async -> INAddTasksIntentResponse
    /// The form of `resolveTargetTaskList(for:with:)` of iOS 11.
    func resolveTargetTaskList(
        for intent: INAddTasksIntent, with completion: @escaping (INTaskListResolutionResult) -> Void
    )
    /// The form of `resolveTemporalEventTrigger(for:with:)` of iOS 11.
    func resolveTemporalEventTrigger(
        for intent: INAddTasksIntent, with completion: @escaping (INTemporalEventTriggerResolutionResult) -> Void
    )
}

extension INAddTasksIntentHandling {
    public func resolveTargetTaskList(
        for intent: INAddTasksIntent, with completion: @escaping (INAddTasksTargetTaskListResolutionResult) -> Void
    ) {
        resolveTargetTaskList(for: intent) { (result: INTaskListResolutionResult) in
            completion(INAddTasksTargetTaskListResolutionResult(taskListResolutionResult: result))
        }
    }

    public func resolveTargetTaskList(for intent: INAddTasksIntent) async -> INAddTasksTargetTaskListResolutionResult {
        _intentMethodNotWritten("resolveTargetTaskList(for:)")
        return .notRequired()
    }

    public func resolveTaskTitles(
        for intent: INAddTasksIntent, with completion: @escaping ([INSpeakableStringResolutionResult]) -> Void
    ) {
        _intentMethodNotWritten("resolveTaskTitles(for:with:)")
    }

    public func resolveTaskTitles(for intent: INAddTasksIntent) async -> [INSpeakableStringResolutionResult] {
        _intentMethodNotWritten("resolveTaskTitles(for:)")
        return []
    }

    public func resolveTemporalEventTrigger(
        for intent: INAddTasksIntent,
        with completion: @escaping (INAddTasksTemporalEventTriggerResolutionResult) -> Void
    ) {
        resolveTemporalEventTrigger(for: intent) { (result: INTemporalEventTriggerResolutionResult) in
            completion(INAddTasksTemporalEventTriggerResolutionResult(temporalEventTriggerResolutionResult: result))
        }
    }

    public func resolveTemporalEventTrigger(for intent: INAddTasksIntent) async
        -> INAddTasksTemporalEventTriggerResolutionResult
    {
        _intentMethodNotWritten("resolveTemporalEventTrigger(for:)")
        return .notRequired()
    }

    public func resolvePriority(
        for intent: INAddTasksIntent, with completion: @escaping (INTaskPriorityResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolvePriority(for:with:)")
    }

    public func resolvePriority(for intent: INAddTasksIntent) async -> INTaskPriorityResolutionResult {
        _intentMethodNotWritten("resolvePriority(for:)")
        return .notRequired()
    }

    public func confirm(intent: INAddTasksIntent, completion: @escaping (INAddTasksIntentResponse) -> Void) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }

    public func confirm(intent: INAddTasksIntent) async -> INAddTasksIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return INAddTasksIntentResponse()
    }

    public func handle(intent: INAddTasksIntent, completion: @escaping (INAddTasksIntentResponse) -> Void) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }

    public func handle(intent: INAddTasksIntent) async -> INAddTasksIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return INAddTasksIntentResponse()
    }

    public func resolveTargetTaskList(
        for intent: INAddTasksIntent, with completion: @escaping (INTaskListResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveTargetTaskList(for:with:)")
    }

    public func resolveTemporalEventTrigger(
        for intent: INAddTasksIntent, with completion: @escaping (INTemporalEventTriggerResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveTemporalEventTrigger(for:with:)")
    }
}
