// Exports: the modules that `import CoreAudioKit` brings in with it, as on Apple's systems.

@_exported public import AudioToolbox
@_exported public import UIKit
