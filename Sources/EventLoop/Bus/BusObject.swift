// BusObject: an object on the bus, with its C vtable connected to Swift.

internal import CSystemd
internal import CSystemdShims

/// The implementation of an object's members.
@HostActor
protocol BusObjectMembers: AnyObject {
    /// Answers a method, now or later, by `call.reply`; a thrown error is the answer.
    func answer(_ call: BusMessage) throws(BusError)
    func append(property: String, to reply: BusMessage) throws(BusError)
    /// Receives every call to the object before its vtable does, and returns whether the call is handled.
    func intercept(_ call: BusMessage) throws(BusError) -> Bool
}

extension BusObjectMembers {
    func intercept(_ call: BusMessage) throws(BusError) -> Bool { false }
}

/// Registers an object for as long as this instance exists. `members` is weak: without it, calls are answered with an
/// error.
@HostActor
final class BusObject {
    typealias Add =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, UnsafePointer<CChar>?,
            UnsafePointer<exthost_bus_object>?
        ) -> Int32

    private weak var members: (any BusObjectMembers)?
    private var slots: [OpaquePointer?] = [nil, nil]
    /// The context of the vtable, in memory of its own, because sd-bus stores its address.
    private let table = UnsafeMutablePointer<exthost_bus_object>.allocate(capacity: 1)

    /// - Parameter add: the function of `bus_object.h` that adds the object. It is not called on a bus without
    ///   connection.
    init(on bus: Bus, path: String, members: any BusObjectMembers, add: Add) throws(LoopError) {
        self.members = members
        // The slots make sd-bus call, and they are released before this object is.
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

    /// Calls the object behind `context` from C; an error is returned by name, as sd-bus expects it.
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
