// Exports: the names that `import ImageIO` brings in with it, as on Apple's systems. UIKit has `CGImage` here.

@_exported public import CoreFoundationNames
@_exported public import UIKit
