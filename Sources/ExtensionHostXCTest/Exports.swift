// Exports: a test says `import ExtensionHostXCTest` and has the kit.

@_exported public import ExtensionHostTesting
