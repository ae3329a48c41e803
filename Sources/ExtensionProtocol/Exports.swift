// Exports: the modules that `import ExtensionProtocol` brings in with it.

@_exported public import ExtensionWire
