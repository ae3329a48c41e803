// PointFile, PointValue: an open file and a property list in the arguments, a part or the reply of a call.

public import LinuxDescriptors
public import PropertyListCoding

/// An open file, which travels as a descriptor. At most 15 travel in one message.
///
/// Only `PointEncoder` and `PointDecoder` can code it.
public struct PointFile: Sendable, Codable {
    /// The descriptor. It is closed when its last holder goes.
    public let descriptor: SharedDescriptor

    /// Takes shared ownership of the descriptor.
    public init(_ descriptor: SharedDescriptor) { self.descriptor = descriptor }

    /// Opens a file for reading.
    ///
    /// - Throws: `SystemError`, with the reason why the file cannot be opened.
    public init(readingAt path: String) throws(SystemError) { self.init(SharedDescriptor(try openForReading(path))) }

    /// Fails: only `PointDecoder` can read a file.
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "a file is decoded by PointDecoder only"))
    }

    /// Fails: only `PointEncoder` can write a file.
    public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self, .init(codingPath: encoder.codingPath, debugDescription: "a file is encoded by PointEncoder only"))
    }
}

/// Any property list, for values whose form only the two sides know.
///
/// Only `PointEncoder` and `PointDecoder` can code it.
public struct PointValue: Sendable, Hashable, Codable {
    /// The property list.
    public var plist: PropertyList

    /// Wraps a property list.
    public init(_ plist: PropertyList) { self.plist = plist }

    /// Fails: only `PointDecoder` can read a property list.
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "a property list is decoded by PointDecoder only"))
    }

    /// Fails: only `PointEncoder` can write a property list.
    public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self,
            .init(codingPath: encoder.codingPath, debugDescription: "a property list is encoded by PointEncoder only"))
    }
}
