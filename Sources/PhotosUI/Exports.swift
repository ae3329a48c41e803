// Exports: the modules that `import PhotosUI` brings in with it, as on Apple's systems.

@_exported public import Photos
@_exported public import UIKit
