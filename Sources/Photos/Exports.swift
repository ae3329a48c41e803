// Exports: the modules that `import Photos` brings in with it, as on Apple's systems.

@_exported public import AVPlayback
@_exported public import CoreLocation
@_exported public import UIKit
