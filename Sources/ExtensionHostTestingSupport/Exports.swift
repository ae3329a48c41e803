// Exports: a test says `import ExtensionHostTestingSupport` and has the kit.

@_exported public import ExtensionHostTesting
