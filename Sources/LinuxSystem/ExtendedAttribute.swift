// extendedAttribute: the value of an extended attribute of a file (xattr(7)).

internal import CLinux

/// Returns the value of an extended attribute, of at most 256 bytes; `nil` if there is none, or none that may be read.
public func extendedAttribute(_ name: String, of path: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = exthost_extended_attribute(path, name, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes.prefix(count))
}
