// BusCalls: an object on the bus whose calls one function handles, for protocols that other programs define.

internal import CSystemd

/// An object, registered for as long as this instance exists. sd-bus does not know its members, so it describes none.
///
/// It also gets calls that name no receiver. IBus makes those, and sd-bus's own objects never answer them on a bus.
@HostActor
package final class BusCalls {
    private let path: String
    private let handle: @HostActor (BusMessage) throws(BusError) -> Bool
    private var slot: OpaquePointer?

    /// - Parameter handle: answers a call, now or later, by `reply`, and returns whether it knows the member. A thrown
    ///   error is the answer. The function must not release this object.
    /// - Throws: `LoopError.call`. Without a connection nothing is registered.
    package init(
        on bus: Bus, path: String, _ handle: @escaping @HostActor (BusMessage) throws(BusError) -> Bool
    ) throws(LoopError) {
        (self.path, self.handle) = (path, handle)
        guard let connection = bus.pointer else { return }
        let callback: sd_bus_message_handler_t = { message, context, error in
            guard sd_bus_message_is_method_call(message, nil, nil) > 0 else { return 0 }
            let result = HostActor.enter(context, message) { context, message -> Result<Bool, BusError> in
                let object = Unmanaged<BusCalls>.fromOpaque(context).takeUnretainedValue()
                let call = BusMessage(sharing: message)
                guard call.path == object.path else { return .success(false) }
                do throws(BusError) {
                    return .success(try object.handle(call))
                } catch {
                    return .failure(error)
                }
            }
            switch result {
            case .success(let isHandled): return isHandled ? 1 : 0
            case .failure(let failure): return sd_bus_error_set(error, failure.name, failure.message)
            case nil: return 0
            }
        }
        // The slot makes sd-bus call, and it is released before this object is.
        try LoopError.check(
            "sd_bus_add_filter",
            sd_bus_add_filter(connection, &slot, callback, Unmanaged.passUnretained(self).toOpaque()))
    }

    isolated deinit { sd_bus_slot_unref(slot) }
}
