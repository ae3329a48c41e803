// Exports: the modules that `import FileProviderUI` brings in with it, as on Apple's systems.

@_exported public import FileProvider
@_exported public import UIKit
