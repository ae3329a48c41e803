// BusMessage+IBus: the values of IBus's protocol. Each is a variant of a struct: the type's name, attachments, members.

import EventLoop

extension BusMessage {
    static let text = "(sa{sv}sv)"
    static let attributes = "(sa{sv}av)"
    private static let attribute = "(sa{sv}uuuu)"
    static let component = "(sa{sv}ssssssssavav)"
    static let engineDescription = "(sa{sv}ssssssssussssssss)"

    /// Appends a variant of a type of IBus, without attachments; `write` appends its members.
    private func appendObject(
        _ name: String, _ signature: String, _ write: (BusMessage) throws(BusError) -> Void
    ) throws(BusError) {
        try appendVariant(signature) { variant throws(BusError) in
            try variant.appendStruct(String(signature.dropFirst().dropLast())) { members throws(BusError) in
                try members.append(name)
                try members.appendArray("{sv}") { _ in }
                try write(members)
            }
        }
    }

    /// A line under a part of a text, in scalars.
    struct Underline: Hashable, Sendable {
        let range: Range<Int>
        let isDouble: Bool
    }

    /// Appends a text. A bus carries no zero characters, so they are left out.
    func append(text: String, underlines: [Underline] = []) throws(BusError) {
        try appendObject("IBusText", Self.text) { members throws(BusError) in
            try members.append(text.contains("\0") ? text.filter { $0 != "\0" } : text)
            try members.appendObject("IBusAttrList", Self.attributes) { list throws(BusError) in
                try list.appendArray("v") { array throws(BusError) in
                    for line in underlines {
                        try array.appendObject("IBusAttribute", Self.attribute) { members throws(BusError) in
                            // The type of an underline, and its value.
                            try members.append(UInt32(1))
                            try members.append(UInt32(line.isDouble ? 2 : 1))
                            try members.append(UInt32(line.range.lowerBound))
                            try members.append(UInt32(line.range.upperBound))
                        }
                    }
                }
            }
        }
    }

    /// Reads a text of at most `maximum` bytes; nil for a longer one.
    func readText(atMost maximum: Int) throws(BusError) -> String? {
        try readVariant(Self.text) { variant throws(BusError) in
            try variant.readStruct(String(Self.text.dropFirst().dropLast())) { members throws(BusError) in
                guard try members.readString(atMost: 64) == "IBusText" else {
                    throw .invalidArguments("the value is not an IBusText")
                }
                try members.skip("a{sv}")
                let text = try members.readString(atMost: maximum)
                try members.skip("v")
                return text
            }
        }
    }

    /// Appends a component with its engines.
    func append(component: IBusComponent) throws(BusError) {
        try appendObject("IBusComponent", Self.component) { members throws(BusError) in
            for value in component.values { try members.append(value) }
            // The observed paths.
            try members.appendArray("v") { _ in }
            try members.appendArray("v") { engines throws(BusError) in
                for engine in component.engines {
                    try engines.appendObject("IBusEngineDesc", Self.engineDescription) { members throws(BusError) in
                        let values = engine.values
                        for value in values.prefix(8) { try members.append(value) }
                        try members.append(IBusComponent.Engine.rank)
                        for value in values.dropFirst(8) { try members.append(value) }
                    }
                }
            }
        }
    }
}
