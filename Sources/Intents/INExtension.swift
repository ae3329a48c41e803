// INExtension: the principal class of an intents extension.

public import Foundation

/// An object that knows the handlers of intents.
public protocol INIntentHandlerProviding: NSObjectProtocol {
    /// Returns the object that handles an intent.
    ///
    /// - Parameter intent: the intent, with the parameters that are known.
    /// - Returns: an object that adopts the protocol of the intent, such as `INSendMessageIntentHandling`.
    func handler(for intent: INIntent) -> Any?
}

/// The principal class of an intents extension. Its methods run on the queue of the request.
open class INExtension: NSObject, INIntentHandlerProviding {
    public override init() {}

    /// Returns the object that handles an intent: by default the extension itself.
    ///
    /// Each call of the host asks anew, so a handler cannot rely on what another one has stored.
    ///
    /// - Parameter intent: the intent, with the parameters that are known.
    open func handler(for intent: INIntent) -> Any? { self }
}
