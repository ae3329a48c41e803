// Exports: the types of other modules that stand in the declarations of this one.

@_exported public import struct ExtensionItems.EncodedValue
@_exported public import struct ExtensionWire.ExtensionHostError
@_exported public import class LinuxDescriptors.SharedDescriptor
@_exported public import enum PropertyListCoding.PropertyList
