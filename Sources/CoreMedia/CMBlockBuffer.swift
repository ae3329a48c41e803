// CMBlockBuffer: the bytes of samples.

import CoreAudioTypes
public import Foundation

public let kCMBlockBufferNoErr: OSStatus = 0
public let kCMBlockBufferBadOffsetParameterErr: OSStatus = -12704
public let kCMBlockBufferBadLengthParameterErr: OSStatus = -12705

// Unchecked: as on Apple's systems, its user decides on which thread the bytes are used.
/// Bytes in one piece of memory.
public final class CMBlockBuffer: @unchecked Sendable {
    let memory: UnsafeMutableRawPointer
    /// The number of bytes.
    public let dataLength: Int
    /// Whether the bytes lie in one piece: always.
    public var isContiguous: Bool { true }

    package init(_ bytes: [UInt8]) {
        dataLength = bytes.count
        memory = UnsafeMutableRawPointer.allocate(byteCount: max(dataLength, 16), alignment: 16)
        bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { memory.copyMemory(from: base, byteCount: source.count) }
        }
    }

    deinit { memory.deallocate() }

    /// Returns a copy of the bytes.
    public func dataBytes() throws -> Data { Data(bytes: memory, count: dataLength) }

    /// Gives the bytes to a function.
    public func withUnsafeMutableBytes<Value>(
        atOffset offset: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws -> Value
    ) throws -> Value {
        guard (0...dataLength).contains(offset) else { throw CocoaError(.coderInvalidValue) }
        return try body(UnsafeMutableRawBufferPointer(start: memory + offset, count: dataLength - offset))
    }
}

public func CMBlockBufferGetDataLength(_ theBuffer: CMBlockBuffer) -> Int { theBuffer.dataLength }

/// Returns a pointer to the bytes from an offset.
///
/// - Returns: `kCMBlockBufferBadOffsetParameterErr` for an offset that is not in the buffer.
@discardableResult
public func CMBlockBufferGetDataPointer(
    _ theBuffer: CMBlockBuffer, atOffset offset: Int, lengthAtOffsetOut: UnsafeMutablePointer<Int>?,
    totalLengthOut: UnsafeMutablePointer<Int>?, dataPointerOut: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OSStatus {
    guard (0..<max(theBuffer.dataLength, 1)).contains(offset) else { return kCMBlockBufferBadOffsetParameterErr }
    lengthAtOffsetOut?.pointee = theBuffer.dataLength - offset
    totalLengthOut?.pointee = theBuffer.dataLength
    dataPointerOut?.pointee = (theBuffer.memory + offset).assumingMemoryBound(to: CChar.self)
    return kCMBlockBufferNoErr
}

/// Copies bytes from an offset.
///
/// - Returns: an error for bytes that are not in the buffer.
@discardableResult
public func CMBlockBufferCopyDataBytes(
    _ theSourceBuffer: CMBlockBuffer, atOffset offset: Int, dataLength: Int, destination: UnsafeMutableRawPointer
) -> OSStatus {
    guard (0...theSourceBuffer.dataLength).contains(offset) else { return kCMBlockBufferBadOffsetParameterErr }
    guard (0...(theSourceBuffer.dataLength - offset)).contains(dataLength) else {
        return kCMBlockBufferBadLengthParameterErr
    }
    destination.copyMemory(from: theSourceBuffer.memory + offset, byteCount: dataLength)
    return kCMBlockBufferNoErr
}
