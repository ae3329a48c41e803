// ResolutionResults: the results for the types of parameters.

public import Foundation
import PointMessages

/// The result for a parameter that is a text.
open class INStringResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: String) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [String]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: String?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a truth value.
open class INBooleanResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: Bool) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: Bool?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is an integer.
open class INIntegerResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: Int) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: Int?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a number.
open class INDoubleResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: Double) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: Double?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a URL.
open class INURLResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: URL) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [URL]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: URL?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a date.
open class INDateComponentsResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: DateComponents) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [DateComponents]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: DateComponents?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a time.
open class INDateComponentsRangeResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INDateComponentsRange) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INDateComponentsRange]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INDateComponentsRange?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is an object.
open class INObjectResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INObject) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INObject]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INObject?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a spoken name.
open class INSpeakableStringResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INSpeakableString) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INSpeakableString]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INSpeakableString?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a person.
open class INPersonResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INPerson) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INPerson]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INPerson?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a file.
open class INFileResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INFile) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INFile]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INFile?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is an amount of money.
open class INCurrencyAmountResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INCurrencyAmount) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INCurrencyAmount]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INCurrencyAmount?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a piece of media.
open class INMediaItemResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INMediaItem) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INMediaItem]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INMediaItem?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a list of tasks.
open class INTaskListResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INTaskList) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INTaskList]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INTaskList?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a task.
open class INTaskResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INTask) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INTask]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INTask?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a note.
open class INNoteResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INNote) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INNote]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INNote?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is the content of a note.
open class INNoteContentResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INNoteContent) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INNoteContent]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INNoteContent?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a time of an event.
open class INTemporalEventTriggerResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INTemporalEventTrigger) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INTemporalEventTrigger]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INTemporalEventTrigger?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a call of the past.
open class INCallRecordResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INCallRecord) -> Self { _success(resolvedValue) }
    /// The person has to choose one of several.
    open class func disambiguation(with options: [INCallRecord]) -> Self { _disambiguation(options) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INCallRecord?) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is the kind of a message.
open class INOutgoingMessageTypeResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INOutgoingMessageType) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INOutgoingMessageType) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is an attribute of a message.
open class INMessageAttributeResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INMessageAttribute) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INMessageAttribute) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a set of attributes.
open class INMessageAttributeOptionsResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INMessageAttributeOptions) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INMessageAttributeOptions) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is the kind of a destination.
open class INCallDestinationTypeResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INCallDestinationType) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INCallDestinationType) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is the kind of a call.
open class INCallCapabilityResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INCallCapability) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INCallCapability) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a mode of repetition.
open class INPlaybackRepeatModeResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INPlaybackRepeatMode) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INPlaybackRepeatMode) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is a place in the queue.
open class INPlaybackQueueLocationResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INPlaybackQueueLocation) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INPlaybackQueueLocation) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The result for a parameter that is the priority of a task.
open class INTaskPriorityResolutionResult: INIntentResolutionResult {
    /// The value is known.
    open class func success(with resolvedValue: INTaskPriority) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value.
    open class func confirmationRequired(with valueToConfirm: INTaskPriority) -> Self {
        _confirmationRequired(valueToConfirm)
    }
}

/// The reasons of `INSendMessageRecipientResolutionResult`. The numbers are from memory.
public enum INSendMessageRecipientUnsupportedReason: Int, Sendable {
    case noAccount = 1, offline, messagingServiceNotEnabledForRecipient, noValidHandle, requestedHandleInvalid
    case noHandleForLabel, requiringInAppAuthentication
}

/// The result for a recipient.
open class INSendMessageRecipientResolutionResult: INPersonResolutionResult {
    public required init() {}

    /// Makes a result out of one of the more general class.
    public init(personResolutionResult result: INPersonResolutionResult) {
        super.init()
        resolution = result.resolution
    }

    /// The app cannot do anything with the value, for a reason.
    open class func unsupported(forReason reason: INSendMessageRecipientUnsupportedReason) -> Self {
        unsupported(forReason: reason.rawValue)
    }
}

/// The reasons of `INStartCallContactResolutionResult`. The numbers are from memory.
public enum INStartCallContactUnsupportedReason: Int, Sendable {
    case noContactFound = 1, multipleContactsUnsupported, noHandleForLabel, invalidHandle, unsupportedMmiUssd
    case noCallHistoryForRedial, noUsableHandleForRedial, requiringInAppAuthentication
}

/// The result for a person who is called.
open class INStartCallContactResolutionResult: INPersonResolutionResult {
    public required init() {}

    /// Makes a result out of one of the more general class.
    public init(personResolutionResult result: INPersonResolutionResult) {
        super.init()
        resolution = result.resolution
    }

    /// The app cannot do anything with the value, for a reason.
    open class func unsupported(forReason reason: INStartCallContactUnsupportedReason) -> Self {
        unsupported(forReason: reason.rawValue)
    }
}

/// The reasons of `INStartCallCallCapabilityResolutionResult`. The numbers are from memory.
public enum INStartCallCallCapabilityUnsupportedReason: Int, Sendable {
    case videoCallUnsupported = 1, microphoneNotAccessible, cameraNotAccessible
}

/// The result for the kind of a call.
open class INStartCallCallCapabilityResolutionResult: INCallCapabilityResolutionResult {
    public required init() {}

    /// Makes a result out of one of the more general class.
    public init(callCapabilityResolutionResult result: INCallCapabilityResolutionResult) {
        super.init()
        resolution = result.resolution
    }

    /// The app cannot do anything with the value, for a reason.
    open class func unsupported(forReason reason: INStartCallCallCapabilityUnsupportedReason) -> Self {
        unsupported(forReason: reason.rawValue)
    }
}

/// The reasons of `INStartCallCallRecordToCallBackResolutionResult`. The numbers are from memory.
public enum INStartCallCallRecordToCallBackUnsupportedReason: Int, Sendable {
    case noMatchingCall = 1
}

/// The result for a call that is returned.
open class INStartCallCallRecordToCallBackResolutionResult: INCallRecordResolutionResult {
    public required init() {}

    /// Makes a result out of one of the more general class.
    public init(callRecordResolutionResult result: INCallRecordResolutionResult) {
        super.init()
        resolution = result.resolution
    }

    /// The app cannot do anything with the value, for a reason.
    open class func unsupported(forReason reason: INStartCallCallRecordToCallBackUnsupportedReason) -> Self {
        unsupported(forReason: reason.rawValue)
    }
}

/// The reasons of `INPlayMediaMediaItemResolutionResult`. The numbers are from memory.
public enum INPlayMediaMediaItemUnsupportedReason: Int, Sendable {
    case loginRequired = 1, subscriptionRequired, unsupportedMediaType, explicitContentSettings, cellularDataSettings
    case restrictedContent, serviceUnavailable, regionRestriction, requiringInAppAuthentication
}

/// The result for a piece of media to play.
open class INPlayMediaMediaItemResolutionResult: INMediaItemResolutionResult {
    public required init() {}

    /// Makes a result out of one of the more general class.
    public init(mediaItemResolutionResult result: INMediaItemResolutionResult) {
        super.init()
        resolution = result.resolution
    }

    /// The app cannot do anything with the value, for a reason.
    open class func unsupported(forReason reason: INPlayMediaMediaItemUnsupportedReason) -> Self {
        unsupported(forReason: reason.rawValue)
    }

    /// All these values are known.
    open class func successes(with items: [INMediaItem]) -> [INPlayMediaMediaItemResolutionResult] {
        items.map { success(with: $0) }
    }
}

/// The reasons of `INPlayMediaPlaybackSpeedResolutionResult`. The numbers are from memory.
public enum INPlayMediaPlaybackSpeedUnsupportedReason: Int, Sendable {
    case belowMinimum = 1, aboveMaximum
}

/// The result for a speed.
open class INPlayMediaPlaybackSpeedResolutionResult: INDoubleResolutionResult {
    public required init() {}

    /// Makes a result out of one of the more general class.
    public init(doubleResolutionResult result: INDoubleResolutionResult) {
        super.init()
        resolution = result.resolution
    }

    /// The app cannot do anything with the value, for a reason.
    open class func unsupported(forReason reason: INPlayMediaPlaybackSpeedUnsupportedReason) -> Self {
        unsupported(forReason: reason.rawValue)
    }
}

/// The reasons of `INAddTasksTargetTaskListResolutionResult`. The numbers are from memory.
public enum INAddTasksTargetTaskListConfirmationReason: Int, Sendable {
    case listShouldBeCreated = 1
}

/// The result for the list that gets tasks.
open class INAddTasksTargetTaskListResolutionResult: INTaskListResolutionResult {
    public required init() {}

    /// Makes a result out of one of the more general class.
    public init(taskListResolutionResult result: INTaskListResolutionResult) {
        super.init()
        resolution = result.resolution
    }

    /// The person has to confirm the value, for a reason.
    ///
    /// - Parameters:
    ///   - value: the value; nil: the present one.
    ///   - reason: the reason.
    open class func confirmationRequired(
        with value: INTaskList?, forReason reason: INAddTasksTargetTaskListConfirmationReason
    ) -> Self {
        make(.init(.confirmationRequired, value: value?._intentValue, reason: reason.rawValue))
    }
}

/// The reasons of `INAddTasksTemporalEventTriggerResolutionResult`. The numbers are from memory.
public enum INAddTasksTemporalEventTriggerUnsupportedReason: Int, Sendable {
    case timeInPast = 1, invalidRecurrence
}

/// The result for the time of tasks.
open class INAddTasksTemporalEventTriggerResolutionResult: INTemporalEventTriggerResolutionResult {
    public required init() {}

    /// Makes a result out of one of the more general class.
    public init(temporalEventTriggerResolutionResult result: INTemporalEventTriggerResolutionResult) {
        super.init()
        resolution = result.resolution
    }

    /// The app cannot do anything with the value, for a reason.
    open class func unsupported(forReason reason: INAddTasksTemporalEventTriggerUnsupportedReason) -> Self {
        unsupported(forReason: reason.rawValue)
    }
}
