// AVFoundation: under Apple's name, the part that sources use: formats and buffers of audio units, and players.

@_exported public import AVPlayback
@_exported public import AudioToolbox
@_exported public import CoreMedia
@_exported public import CoreVideo
