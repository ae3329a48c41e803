// Exports: the modules that `import ExtensionFoundation` brings in with it: items, providers, app groups and
// their error.

@_exported public import AppGroups
@_exported public import ExtensionItems

@_exported public import struct ExtensionWire.ExtensionHostError
