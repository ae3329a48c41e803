// Exports: the modules that `import QuickLook` brings in with it.

@_exported public import ExtensionFoundation
@_exported public import Foundation
// iOS 11 had the thumbnails in this framework.
@_exported public import QuickLookThumbnailing
@_exported public import UIKit
@_exported public import UniformTypeIdentifiers
