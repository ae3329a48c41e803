// Exports: the modules that `import ExtensionHostXCTest` brings in with it.

@_exported public import ExtensionHostTesting
