// Exports: importing FileProvider gives Foundation, types and the context of extensions, as on Apple's systems.

@_exported public import ExtensionFoundation
@_exported public import Foundation
@_exported public import UniformTypeIdentifiers
