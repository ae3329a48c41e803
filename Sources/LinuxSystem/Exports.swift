// Exports: the modules that `import LinuxSystem` brings in with it.

@_exported public import LinuxDescriptors
