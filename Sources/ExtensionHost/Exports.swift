// Exports: the modules that `import ExtensionHost` brings in with it: items, providers and calls.

@_exported public import ExtensionItems
@_exported public import ExtensionPointKit

@_exported public import enum ExtensionProtocol.Cause
@_exported public import struct ExtensionProtocol.ExitRecord
@_exported public import struct ExtensionProtocol.ExtensionHostError
@_exported public import enum ExtensionProtocol.HostStateName
@_exported public import enum ExtensionProtocol.OutcomeKind
@_exported public import struct ExtensionProtocol.RequestIdentifier
@_exported public import struct ExtensionProtocol.Timings
@_exported public import struct ExtensionProtocol.ViewElement
