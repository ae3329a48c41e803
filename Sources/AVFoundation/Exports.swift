// AVFoundation: under Apple's name, the part that sources of audio units use: formats and buffers.

@_exported public import AudioToolbox
@_exported public import CoreMedia
@_exported public import CoreVideo
