// UTType+URL: the members of UTType that need Foundation, and the type of a file among its resource values.

public import Foundation
public import UniformTypeIdentifiers

extension UTType {
    /// The address of the type's description, from the bundle that declares it (`UTTypeReferenceURL`); nil for the
    /// system's types.
    public var referenceURL: URL? { referenceLink.flatMap(URL.init(string:)) }
}

extension URLResourceKey {
    /// The key of a file's type. Linux's Foundation knows none: the values get the path, which tells the type.
    public static let contentTypeKey = URLResourceKey.pathKey
}

extension URLResourceValues {
    /// The type of a file, by the extension of its name; nil if `contentTypeKey` was not asked for.
    public var contentType: UTType? {
        guard let path = allValues[.pathKey] as? String else { return nil }
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let name = URL(fileURLWithPath: path).pathExtension
        if isThere, isFolder.boolValue {
            return name.isEmpty ? .folder : UTType(filenameExtension: name, conformingTo: .directory)
        }
        return name.isEmpty ? .data : UTType(filenameExtension: name)
    }
}
