// Exports: whoever imports LinuxSystem has descriptors, files and sockets, too.

@_exported public import LinuxDescriptors
