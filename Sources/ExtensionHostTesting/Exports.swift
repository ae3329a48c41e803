// Exports: a test says `import ExtensionHostTesting` and has what a host has.

@_exported public import ExtensionHost
@_exported public import Transcripts
