// Brightness: an upload of a broadcast that measures the brightness of the screen instead of sending it.

import ReplayKit

/// Prints the mean brightness of each second, and tells the host the mean of all frames as its service's information.
///
/// An upload has 50 MiB. So it reads the pixels where they are, and keeps no sample.
final class Brightness: RPBroadcastSampleHandler {
    private var sum = 0.0
    private var frames = 0
    private var title = "a broadcast"
    private var lastSecond: Int64 = -1

    override func broadcastStarted(withSetupInfo setupInfo: [String: NSObject]?) {
        if let name = setupInfo?["title"] as? NSString { title = name as String }
        print("\(title) has started")
    }

    override func processSampleBuffer(_ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType) {
        guard sampleBufferType == .video, let image = CMSampleBufferGetImageBuffer(sampleBuffer),
            let brightness = Self.brightness(of: image)
        else { return }
        sum += brightness
        frames += 1
        let second = Int64(CMTimeGetSeconds(CMSampleBufferGetPresentationTimeStamp(sampleBuffer)))
        guard second != lastSecond else { return }
        lastSecond = second
        print("brightness \(Int(brightness.rounded()))")
    }

    override func broadcastPaused() { print("\(title) is paused") }

    override func broadcastResumed() { print("\(title) goes on") }

    override func broadcastFinished() {
        guard frames > 0 else {
            let text = [NSLocalizedDescriptionKey: "No frame has come."]
            return finishBroadcastWithError(NSError(domain: "Brightness", code: 1, userInfo: text))
        }
        updateServiceInfo([
            "frames": NSNumber(value: frames), "brightness": NSNumber(value: Int((sum / Double(frames)).rounded())),
        ])
    }

    /// The mean of the luma from 0 to 255; nil for pixels without a plane of luma.
    private static func brightness(of image: CVPixelBuffer) -> Double? {
        CVPixelBufferLockBaseAddress(image, .readOnly)
        defer { CVPixelBufferUnlockBaseAddress(image, .readOnly) }
        guard let base = CVPixelBufferGetBaseAddressOfPlane(image, 0) else { return nil }
        let (width, height) = (CVPixelBufferGetWidthOfPlane(image, 0), CVPixelBufferGetHeightOfPlane(image, 0))
        let bytesPerRow = CVPixelBufferGetBytesPerRowOfPlane(image, 0)
        var sum = 0
        for row in 0..<height {
            let pixels = UnsafeRawBufferPointer(start: base + row * bytesPerRow, count: width)
            for pixel in pixels { sum += Int(pixel) }
        }
        return Double(sum) / Double(width * height)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
