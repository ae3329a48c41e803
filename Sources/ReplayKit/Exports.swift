// Exports: the modules that `import ReplayKit` brings in with it, as on Apple's systems.

@_exported public import CoreMedia
@_exported public import CoreVideo
@_exported public import ExtensionFoundation
@_exported public import Foundation
@_exported public import UIKit
