// Exports: the modules that `import IntentsUI` brings in with it, as on Apple's systems.

@_exported public import Intents
@_exported public import UIKit
