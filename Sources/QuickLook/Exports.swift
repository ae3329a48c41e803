// Exports: the modules that `import QuickLook` brings in with it.

@_exported public import ExtensionFoundation
@_exported public import Foundation
@_exported public import UIKit
@_exported public import UniformTypeIdentifiers
