// Exports: the modules that `import UIKit` includes, as on Apple's systems: Foundation, and the items and contexts of
// extensions.

@_exported public import CoreFoundationNames
@_exported public import ExtensionFoundation
@_exported public import Foundation
@_exported public import UniformTypeIdentifiers
