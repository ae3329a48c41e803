// Exports: OSLog has what os has; stores of past messages are not there.

@_exported public import os
