// Exports: importing FileProvider gives Foundation, types and the context of extensions, as on Apple's systems.

@_exported public import ExtensionFoundation
@_exported public import Foundation
@_exported public import UniformTypeIdentifiers

extension Progress {
    /// Makes a progress without units, as the `init()` of Apple's systems does.
    public convenience init(_: Void = ()) { self.init(totalUnitCount: 0) }
}
