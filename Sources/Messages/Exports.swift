// Exports: the modules that `import Messages` brings in with it, as on Apple's systems.

@_exported public import UIKit
