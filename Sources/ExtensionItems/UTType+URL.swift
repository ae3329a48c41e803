// UTType+URL: the one member of UTType that needs Foundation.

public import Foundation
public import UniformTypeIdentifiers

extension UTType {
    /// Where the type is described, as the bundle that declares it says (`UTTypeReferenceURL`); nil for the system's types.
    public var referenceURL: URL? { referenceLink.flatMap(URL.init(string:)) }
}
