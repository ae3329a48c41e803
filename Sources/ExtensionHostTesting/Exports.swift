// Exports: the modules that `import ExtensionHostTesting` brings in with it: those of a host.

@_exported public import ExtensionHost
@_exported public import TransferMessages
@_exported public import Transcripts
