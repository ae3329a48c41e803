// PropertyListError: the reasons why an input is refused, and their places.

/// An error of a reader or writer. It holds at most a bounded excerpt of its input, never the input.
public enum PropertyListError: Error, Sendable, Hashable {
    // Over budget (`PropertyListLimits`).
    case tooManyBytes(count: Int, limit: Int)
    case tooManyObjects(limit: Int, at: PropertyListPlace)
    case tooDeep(limit: Int, at: PropertyListPlace)
    case tooManyExpandedNodes(limit: Int, at: PropertyListPlace)
    case tooManyExpandedBytes(limit: Int, at: PropertyListPlace)

    // Not a property list of a kind read here.
    case empty
    case notPropertyList(beginning: String)
    case oldStyle(beginning: String)
    case unsupportedVersion(String)
    case unsupportedEncoding(String, at: PropertyListPlace)

    // Any form.
    case duplicateKey(String, at: PropertyListPlace)
    case integerOutOfRange(at: PropertyListPlace)
    case invalidText(at: PropertyListPlace)

    // The binary form.
    case tooShort(count: Int)
    case badTrailer(field: String, value: UInt64)
    case offsetOutOfRange(object: Int, offset: UInt64)
    case referenceOutOfRange(reference: UInt64, objects: Int, at: PropertyListPlace)
    case overrun(at: PropertyListPlace)
    case overlap(at: PropertyListPlace)
    case cycle(at: PropertyListPlace)
    case unsupportedObject(String, at: PropertyListPlace)
    case unknownMarker(UInt8, at: PropertyListPlace)
    case keyNotString(at: PropertyListPlace)
    case dateNotANumber(at: PropertyListPlace)

    // The XML form.
    case unexpected(String, expected: String, at: PropertyListPlace)
    case unknownElement(String, at: PropertyListPlace)
    case unknownAttribute(String, element: String, at: PropertyListPlace)
    case unknownEntity(String, at: PropertyListPlace)
    case internalSubset(at: PropertyListPlace)
    case invalidCharacter(UInt32, at: PropertyListPlace)
    case badContent(element: String, text: String, at: PropertyListPlace)
}

extension PropertyListError {
    /// The place in the input; nil for an error that concerns all of it.
    public var place: PropertyListPlace? {
        switch self {
        case .tooManyBytes, .empty, .notPropertyList, .oldStyle, .unsupportedVersion, .tooShort, .badTrailer,
            .offsetOutOfRange:
            nil
        case .tooManyObjects(_, let place), .tooDeep(_, let place), .tooManyExpandedNodes(_, let place),
            .tooManyExpandedBytes(_, let place), .unsupportedEncoding(_, let place), .duplicateKey(_, let place),
            .integerOutOfRange(let place), .invalidText(let place), .referenceOutOfRange(_, _, let place),
            .overrun(let place),
            .overlap(let place), .cycle(let place), .unsupportedObject(_, let place), .unknownMarker(_, let place),
            .keyNotString(let place), .dateNotANumber(let place), .unexpected(_, _, let place),
            .unknownElement(_, let place),
            .unknownAttribute(_, _, let place), .unknownEntity(_, let place), .internalSubset(let place),
            .invalidCharacter(_, let place), .badContent(_, _, let place):
            place
        }
    }
}

extension PropertyListError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooManyBytes(let count, let limit): "the property list has \(count) bytes; the limit is \(limit)"
        case .tooManyObjects(let limit, let place): "more than \(limit) objects (\(place))"
        case .tooDeep(let limit, let place): "arrays and dictionaries nested more than \(limit) deep (\(place))"
        case .tooManyExpandedNodes(let limit, let place):
            "the objects expand to more than \(limit) values, counting shared ones each time (\(place))"
        case .tooManyExpandedBytes(let limit, let place):
            "the objects expand to more than \(limit) bytes of text and data, counting shared ones each time (\(place))"
        case .empty: "the property list is empty"
        case .notPropertyList(let beginning): "neither a binary nor an XML property list: it begins with “\(beginning)”"
        case .oldStyle(let beginning):
            "an old-style text property list is not supported: it begins with “\(beginning)”; convert it to XML"
        case .unsupportedVersion(let version):
            "binary property lists of version “\(version)” are not supported, only “00”"
        case .unsupportedEncoding(let name, let place):
            "text encoding “\(name)” is not supported, only UTF-8 (\(place))"
        case .duplicateKey(let key, let place): "the key “\(key)” is repeated in one dictionary (\(place))"
        case .integerOutOfRange(let place): "an integer that does not fit 64 bits with sign (\(place))"
        case .invalidText(let place): "a string is not valid in its encoding (\(place))"
        case .tooShort(let count): "\(count) bytes are too few for a binary property list; it was probably cut off"
        case .badTrailer(let field, let value): "the trailer’s \(field) cannot be \(value)"
        case .offsetOutOfRange(let object, let offset):
            "object \(object) lies outside the object area, at byte \(offset)"
        case .referenceOutOfRange(let reference, let objects, let place):
            "a reference to object \(reference) of \(objects) (\(place))"
        case .overrun(let place): "an object runs past the end of the object area (\(place))"
        case .dateNotANumber(let place): "a date is not a number of seconds (\(place))"
        case .overlap(let place): "objects overlap (\(place))"
        case .cycle(let place): "an array or dictionary contains itself (\(place))"
        case .unsupportedObject(let name, let place):
            "an object has the type \(name), which property lists do not have (\(place))"
        case .unknownMarker(let marker, let place):
            "no object begins with the byte 0x\(String(marker, radix: 16)) (\(place))"
        case .keyNotString(let place): "a dictionary’s key is not a string (\(place))"
        case .unexpected(let found, let expected, let place): "\(expected) expected, \(found) found (\(place))"
        case .unknownElement(let name, let place): "property lists have no element <\(name)> (\(place))"
        case .unknownAttribute(let name, let element, let place):
            "<\(element)> has an attribute “\(name)”; only <plist> may have one, “version” (\(place))"
        case .unknownEntity(let name, let place):
            "unknown entity “&\(name);”; only lt, gt, amp, quot, apos and character numbers are supported (\(place))"
        case .internalSubset(let place):
            "the document type declares its own entities or elements; remove the “[…]” (\(place))"
        case .invalidCharacter(let value, let place):
            "the character U+\(String(value, radix: 16, uppercase: true)) is not allowed in XML (\(place))"
        case .badContent(let element, let text, let place): "“\(text)” is not a valid <\(element)> (\(place))"
        }
    }
}
