// Exports: a source that says `import UIKit` has Foundation and its extension's items and contexts too, as on Apple's
// systems.

@_exported public import ExtensionFoundation
@_exported public import Foundation
@_exported public import UniformTypeIdentifiers
