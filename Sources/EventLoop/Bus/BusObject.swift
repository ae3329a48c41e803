// BusObject: an object shown on the bus, its C vtable tied to Swift.

internal import CSystemd
internal import CSystemdShims

/// What an object's members do.
@HostActor
protocol BusObjectMembers: AnyObject {
    /// Answers a method, now or later, by `call.reply`; a thrown error is the answer.
    func answer(_ call: BusMessage) throws(BusError)
    func append(property: String, to reply: BusMessage) throws(BusError)
    /// Sees every call to the object before its vtable does. Returns whether it is taken care of.
    func intercept(_ call: BusMessage) throws(BusError) -> Bool
}

extension BusObjectMembers {
    func intercept(_ call: BusMessage) throws(BusError) -> Bool { false }
}

/// Registers an object for as long as this exists. `members` is not kept: without it calls are answered with an error.
@HostActor
final class BusObject {
    typealias Add =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, UnsafePointer<CChar>?, UnsafePointer<exthost_bus_object>?
        ) -> Int32

    private weak var members: (any BusObjectMembers)?
    private var slots: [OpaquePointer?] = [nil, nil]
    /// In memory of its own: sd-bus keeps its address.
    private let table = UnsafeMutablePointer<exthost_bus_object>.allocate(capacity: 1)

    /// - Parameter add: the function of `bus_object.h` that adds the object. On a bus without connection nothing is done.
    init(on bus: Bus, path: String, members: any BusObjectMembers, add: Add) throws(LoopError) {
        self.members = members
        // The slots, which are what makes sd-bus call, go before this object does.
        let context = Unmanaged.passUnretained(self).toOpaque()
        table.initialize(
            to: exthost_bus_object(
                context: context,
                call: { context, message, error in
                    BusObject.enter(context, message, error) { object, call throws(BusError) in
                        try object.present.answer(call)
                        return 1
                    }
                },
                get: { context, property, reply, error in
                    let property = property.map { String(cString: $0) } ?? ""
                    return BusObject.enter(context, reply, error) { object, reply throws(BusError) in
                        try object.present.append(property: property, to: reply)
                        return 1
                    }
                }))
        guard let connection = bus.pointer else { return }
        let intercept: sd_bus_message_handler_t = { message, context, error in
            BusObject.enter(context, message, error) { object, call throws(BusError) in
                try object.present.intercept(call) ? 1 : 0
            }
        }
        try LoopError.check("sd_bus_add_object", sd_bus_add_object(connection, &slots[0], path, intercept, context))
        try LoopError.check("sd_bus_add_object_vtable", add(connection, &slots[1], path, table))
    }

    isolated deinit {
        for slot in slots { sd_bus_slot_unref(slot) }
        table.deallocate()
    }

    private var present: any BusObjectMembers {
        get throws(BusError) {
            guard let members else { throw .failed("the daemon is stopping") }
            return members
        }
    }

    /// Comes from C to the object behind `context`; an error goes back as sd-bus wants it, by name.
    private nonisolated static func enter(
        _ context: UnsafeMutableRawPointer?, _ message: OpaquePointer?, _ error: UnsafeMutablePointer<sd_bus_error>?,
        _ body: @HostActor (BusObject, BusMessage) throws(BusError) -> Int32
    ) -> Int32 {
        let result = HostActor.enter(context, message) { context, message -> Result<Int32, BusError> in
            let object = Unmanaged<BusObject>.fromOpaque(context).takeUnretainedValue()
            do throws(BusError) {
                return .success(try body(object, BusMessage(sharing: message)))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let code): return code
        case .failure(let failure): return sd_bus_error_set(error, failure.name, failure.message)
        case nil: return 0
        }
    }
}
