// BusMessage: a D-Bus message that is read or written piece by piece.

internal import CSystemd
internal import Glibc

/// A reference to an sd_bus_message.
///
/// A read past the end, and a write that does not fit the signature, throw the error that a caller on the bus sees.
@HostActor
package final class BusMessage {
    let pointer: OpaquePointer

    /// Shares a message that sd-bus has passed to a callback.
    init(sharing pointer: OpaquePointer) { self.pointer = sd_bus_message_ref(pointer) }

    /// Takes over the caller's reference.
    private init(owning pointer: OpaquePointer) { self.pointer = pointer }

    isolated deinit { sd_bus_message_unref(pointer) }

    /// Returns a new method call; nil if the connection is closed.
    static func call(
        _ member: String, of interface: String, at path: String, destination: String?, on bus: OpaquePointer
    ) -> BusMessage? {
        var message: OpaquePointer?
        sd_bus_message_new_method_call(bus, &message, destination, path, interface, member)
        return message.map { BusMessage(owning: $0) }
    }

    static func signal(_ member: String, path: String, interface: String, on bus: OpaquePointer) -> BusMessage? {
        var message: OpaquePointer?
        sd_bus_message_new_signal(bus, &message, path, interface, member)
        return message.map { BusMessage(owning: $0) }
    }

    package var member: String { sd_bus_message_get_member(pointer).map { String(cString: $0) } ?? "" }

    package func isCall(to member: String, of interface: String) -> Bool {
        sd_bus_message_is_method_call(pointer, interface, member) > 0
    }

    /// The unique name of the sender, which the bus vouches for.
    package var sender: String? { sd_bus_message_get_sender(pointer).map { String(cString: $0) } }

    /// The error it carries, if it is an error reply.
    package var error: BusError? {
        guard sd_bus_message_is_method_error(pointer, nil) > 0, let error = sd_bus_message_get_error(pointer)?.pointee
        else { return nil }
        return BusError(
            name: error.name.map { String(cString: $0) } ?? "", message: error.message.map { String(cString: $0) } ?? ""
        )
    }

    // MARK: Answering

    /// Sends the answer to this call; `write` appends its values. The answer is dropped if the connection has ended
    /// meanwhile.
    package func reply(_ write: (BusMessage) throws(BusError) -> Void = { _ in }) throws(BusError) {
        var raw: OpaquePointer?
        sd_bus_message_new_method_return(pointer, &raw)
        guard let raw else { return }
        let answer = BusMessage(owning: raw)
        try write(answer)
        sd_bus_send(nil, answer.pointer, nil)
    }

    /// Sends an error as the answer to this call.
    package func reply(_ error: BusError) {
        error.name.withCString { name in
            error.message.withCString { message in
                var raw = sd_bus_error(name: name, message: message, _need_free: 0)
                _ = sd_bus_reply_method_error(pointer, &raw)
            }
        }
    }

    // MARK: Writing

    package func append(_ value: String) throws(BusError) {
        try written(value.withCString { sd_bus_message_append_basic(pointer, CChar(SD_BUS_TYPE_STRING), $0) })
    }

    package func append(_ value: UInt32) throws(BusError) {
        try written(
            withUnsafeBytes(of: value) {
                sd_bus_message_append_basic(pointer, CChar(SD_BUS_TYPE_UINT32), $0.baseAddress)
            })
    }

    func append(_ value: UInt64) throws(BusError) {
        try written(
            withUnsafeBytes(of: value) {
                sd_bus_message_append_basic(pointer, CChar(SD_BUS_TYPE_UINT64), $0.baseAddress)
            })
    }

    /// Appends an array of structs whose members have the types `signature`; `write` appends those of one element.
    func append<Element>(
        _ elements: [Element], as signature: String, _ write: (Element) throws(BusError) -> Void
    ) throws(BusError) {
        try written(sd_bus_message_open_container(pointer, CChar(SD_BUS_TYPE_ARRAY), "(\(signature))"))
        for element in elements {
            try written(sd_bus_message_open_container(pointer, CChar(SD_BUS_TYPE_STRUCT), signature))
            try write(element)
            try written(sd_bus_message_close_container(pointer))
        }
        try written(sd_bus_message_close_container(pointer))
    }

    func written(_ result: Int32) throws(BusError) {
        guard result < 0 else { return }
        throw .failed("the answer could not be written: \(String(cString: strerror(-result)))")
    }

    // MARK: Reading

    package func readString() throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try read(sd_bus_message_read_basic(pointer, CChar(SD_BUS_TYPE_STRING), &text))
        return text.map { String(cString: $0) } ?? ""
    }

    package func readUInt32() throws(BusError) -> UInt32 {
        var value: UInt32 = 0
        try read(sd_bus_message_read_basic(pointer, CChar(SD_BUS_TYPE_UINT32), &value))
        return value
    }

    package func readObjectPath() throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try read(sd_bus_message_read_basic(pointer, CChar(SD_BUS_TYPE_OBJECT_PATH), &text))
        return text.map { String(cString: $0) } ?? ""
    }

    /// Reads a number in a variant.
    func readUInt32Variant() throws(BusError) -> UInt32 {
        try read(sd_bus_message_enter_container(pointer, CChar(SD_BUS_TYPE_VARIANT), "u"))
        let value = try readUInt32()
        try read(sd_bus_message_exit_container(pointer))
        return value
    }

    /// Reads a string in a variant.
    func readStringVariant() throws(BusError) -> String {
        try read(sd_bus_message_enter_container(pointer, CChar(SD_BUS_TYPE_VARIANT), "s"))
        let text = try readString()
        try read(sd_bus_message_exit_container(pointer))
        return text
    }

    /// Rewinds the message for the next reader.
    func rewind() { sd_bus_message_rewind(pointer, 1) }

    func read(_ result: Int32) throws(BusError) {
        if result <= 0 { throw .invalidArguments("the message does not have the expected values") }
    }
}
