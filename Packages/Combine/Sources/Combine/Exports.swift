// Exports: OpenCombine, with its publishers for notifications, timers and queues.

@_exported import OpenCombine
@_exported import OpenCombineDispatch
@_exported import OpenCombineFoundation
