// Exports: the modules that `import CoreMedia` brings in with it, as on Apple's systems.

@_exported public import CoreAudioTypes
@_exported public import CoreVideo
@_exported public import Foundation
