// VTCompressionSession: an encoder of video, of which there is none.

@_exported public import CoreMedia
@_exported public import CoreVideo
public import Foundation

public let kVTCouldNotFindVideoEncoderErr: OSStatus = -12908

/// An encoder of video. There is none.
public final class VTCompressionSession: Sendable {
    private init() {}
}

public typealias VTCompressionOutputCallback = (
    UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, OSStatus, UInt32, CMSampleBuffer?
) -> Void

/// Fails: there is no encoder.
///
/// - Returns: `kVTCouldNotFindVideoEncoderErr`.
public func VTCompressionSessionCreate(
    allocator: CFAllocator?, width: Int32, height: Int32, codecType: CMVideoCodecType,
    encoderSpecification: CFDictionary?, imageBufferAttributes: CFDictionary?,
    compressedDataAllocator: CFAllocator?, outputCallback: VTCompressionOutputCallback?,
    refcon: UnsafeMutableRawPointer?, compressionSessionOut: UnsafeMutablePointer<VTCompressionSession?>
) -> OSStatus {
    compressionSessionOut.pointee = nil
    return kVTCouldNotFindVideoEncoderErr
}
