// INIntentResolutionResult: the results of the resolution of parameters.

public import Foundation
import PointMessages

/// The result of a method that resolves a parameter.
open class INIntentResolutionResult: NSObject, _IntentResolution {
    /// The result as it travels.
    final var resolution = IntentResolution(.needsValue)

    /// Makes a result that asks for a value.
    public required override init() {}

    public final var _results: [INIntentResolutionResult] { [self] }

    static func make(_ resolution: IntentResolution) -> Self {
        let result = self.init()
        result.resolution = resolution
        return result
    }

    /// The person has to give a value.
    open class func needsValue() -> Self { make(IntentResolution(.needsValue)) }
    /// The intent needs no value for the parameter.
    open class func notRequired() -> Self { make(IntentResolution(.notRequired)) }
    /// The app cannot do anything with the value.
    open class func unsupported() -> Self { make(IntentResolution(.unsupported)) }
    /// The app cannot do anything with the value, for a reason of the author's.
    open class func unsupported(forReason reason: Int) -> Self { make(IntentResolution(.unsupported, reason: reason)) }
    /// The person has to give a value, for a reason of the author's.
    open class func needsValue(forReason reason: Int) -> Self { make(IntentResolution(.needsValue, reason: reason)) }

    /// The person has to confirm a value, for a reason of the author's.
    ///
    /// - Parameters:
    ///   - item: the value, of the type of the parameter.
    ///   - reason: the number of the reason.
    open class func confirmationRequiredWithItem(toConfirm item: Any, forReason reason: Int) -> Self {
        make(
            IntentResolution(
                .confirmationRequired, value: (item as? any _IntentRepresentable)?._intentValue, reason: reason))
    }

    /// The value is known.
    public class func _success(_ value: any _IntentRepresentable) -> Self {
        make(IntentResolution(.success, value: value._intentValue))
    }
    /// The person has to choose.
    public class func _disambiguation(_ options: [any _IntentRepresentable]) -> Self {
        make(IntentResolution(.disambiguation, options: options.compactMap(\._intentValue)))
    }
    /// The person has to confirm the value; nil: the present one.
    public class func _confirmationRequired(_ value: (any _IntentRepresentable)?) -> Self {
        make(IntentResolution(.confirmationRequired, value: value?._intentValue))
    }
}

/// The result for a parameter whose type is an enumeration of the author's.
open class INEnumResolutionResult: INIntentResolutionResult {
    /// The value is known, by its number.
    open class func success(with resolvedValue: Int) -> Self { _success(resolvedValue) }
    /// The person has to confirm the value of a number.
    open class func confirmationRequired(withValueToConfirm value: Int) -> Self { _confirmationRequired(value) }
}
