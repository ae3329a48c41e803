// Exports: an extension's source says `import ExtensionFoundation` and has items, providers, its app groups and their error too.

@_exported public import AppGroups
@_exported public import ExtensionItems

@_exported public import struct ExtensionWire.ExtensionHostError
