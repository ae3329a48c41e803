// BusMessage+Values: containers, and the types that only other programs' protocols have.

internal import CSystemd
internal import Glibc

extension BusMessage {
    /// The interface of the member; empty if the message names none.
    package var interface: String { sd_bus_message_get_interface(pointer).map { String(cString: $0) } ?? "" }

    /// The object of the message.
    package var path: String { sd_bus_message_get_path(pointer).map { String(cString: $0) } ?? "" }

    /// The types of all values of the message.
    package var signature: String { sd_bus_message_get_signature(pointer, 1).map { String(cString: $0) } ?? "" }

    // MARK: Writing

    package func append(_ value: Int32) throws(BusError) { try append(value, SD_BUS_TYPE_INT32) }

    package func append(_ value: Bool) throws(BusError) { try append(UInt32(value ? 1 : 0), SD_BUS_TYPE_BOOLEAN) }

    private func append<Value: BitwiseCopyable>(_ value: Value, _ type: Int) throws(BusError) {
        try written(
            withUnsafeBytes(of: value) { sd_bus_message_append_basic(pointer, CChar(type), $0.baseAddress) })
    }

    package func append(objectPath path: String) throws(BusError) {
        try written(path.withCString { sd_bus_message_append_basic(pointer, CChar(SD_BUS_TYPE_OBJECT_PATH), $0) })
    }

    /// Appends a variant with one value of the type `signature`, which `write` appends.
    package func appendVariant(_ signature: String, _ write: (BusMessage) throws(BusError) -> Void) throws(BusError) {
        try appendContainer(SD_BUS_TYPE_VARIANT, signature, write)
    }

    /// Appends a struct whose members have the types `signature`.
    package func appendStruct(_ signature: String, _ write: (BusMessage) throws(BusError) -> Void) throws(BusError) {
        try appendContainer(SD_BUS_TYPE_STRUCT, signature, write)
    }

    /// Appends an array whose elements have the type `signature`.
    package func appendArray(_ signature: String, _ write: (BusMessage) throws(BusError) -> Void) throws(BusError) {
        try appendContainer(SD_BUS_TYPE_ARRAY, signature, write)
    }

    /// Appends an entry of a dictionary with names: its name, and a variant of the type `signature`.
    package func appendEntry(
        _ name: String, _ signature: String, _ write: (BusMessage) throws(BusError) -> Void
    ) throws(BusError) {
        try appendContainer(SD_BUS_TYPE_DICT_ENTRY, "sv") { entry throws(BusError) in
            try entry.append(name)
            try entry.appendVariant(signature, write)
        }
    }

    private func appendContainer(
        _ type: Int, _ signature: String, _ write: (BusMessage) throws(BusError) -> Void
    ) throws(BusError) {
        try written(sd_bus_message_open_container(pointer, CChar(type), signature))
        try write(self)
        try written(sd_bus_message_close_container(pointer))
    }

    // MARK: Reading

    package func readInt32() throws(BusError) -> Int32 {
        var value: Int32 = 0
        try read(sd_bus_message_read_basic(pointer, CChar(SD_BUS_TYPE_INT32), &value))
        return value
    }

    package func readBool() throws(BusError) -> Bool {
        var value: Int32 = 0
        try read(sd_bus_message_read_basic(pointer, CChar(SD_BUS_TYPE_BOOLEAN), &value))
        return value != 0
    }

    /// Reads a string of at most `maximum` bytes; nil for a longer one, which is not copied.
    package func readString(atMost maximum: Int) throws(BusError) -> String? {
        var text: UnsafePointer<CChar>?
        try read(sd_bus_message_read_basic(pointer, CChar(SD_BUS_TYPE_STRING), &text))
        guard let text, strnlen(text, maximum + 1) <= maximum else { return nil }
        return String(cString: text)
    }

    /// Reads a variant that must have a value of the type `signature`, which `body` reads.
    package func readVariant<Value>(
        _ signature: String, _ body: (BusMessage) throws(BusError) -> Value
    ) throws(BusError) -> Value {
        try readContainer(SD_BUS_TYPE_VARIANT, signature, body)
    }

    /// Reads a struct whose members have the types `signature`.
    package func readStruct<Value>(
        _ signature: String, _ body: (BusMessage) throws(BusError) -> Value
    ) throws(BusError) -> Value {
        try readContainer(SD_BUS_TYPE_STRUCT, signature, body)
    }

    /// Reads an array whose elements have the type `signature`, at most `maximum` of them.
    package func readArray<Value>(
        _ signature: String, atMost maximum: Int, _ body: (BusMessage) throws(BusError) -> Value
    ) throws(BusError) -> [Value] {
        try readContainer(SD_BUS_TYPE_ARRAY, signature) { message throws(BusError) in
            var values: [Value] = []
            while sd_bus_message_at_end(pointer, 0) == 0 {
                guard values.count < maximum else {
                    throw .invalidArguments("the message has more than \(maximum) values in an array")
                }
                values.append(try body(message))
            }
            return values
        }
    }

    /// Passes over values of these types.
    package func skip(_ signature: String) throws(BusError) {
        guard sd_bus_message_skip(pointer, signature) >= 0 else {
            throw .invalidArguments("the message does not have the expected values")
        }
    }

    private func readContainer<Value>(
        _ type: Int, _ signature: String, _ body: (BusMessage) throws(BusError) -> Value
    ) throws(BusError) -> Value {
        try read(sd_bus_message_enter_container(pointer, CChar(type), signature))
        let value = try body(self)
        // The call fails if values are left.
        guard sd_bus_message_exit_container(pointer) >= 0 else {
            throw .invalidArguments("the message has more values than expected")
        }
        return value
    }
}
