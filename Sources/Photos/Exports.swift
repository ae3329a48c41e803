// Exports: the module that `import Photos` brings in with it, as on Apple's systems.

@_exported public import UIKit
