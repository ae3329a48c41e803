// AVFoundation: under Apple's name, the part that sources of audio units use: formats and buffers.

@_exported public import AudioToolbox
