// ImageFacts: prints what UIImage knows of the file that its argument names, for tests.
//
// With `edit`, it edits the image as a photo extension does, and prints the most memory that it had.

import UIKit

let file = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))

func printFacts() {
    guard let image = UIImage(data: file) else { exit(1) }
    let pixels = image.cgImage.map { "\($0.width)x\($0.height)" } ?? "none"
    let jpeg = image.jpegData(compressionQuality: 0.5).map { $0 == file ? "own" : "new" } ?? "none"
    let png = image.pngData().map { $0 == file ? "own" : "new" } ?? "none"
    print("size \(image.size.width) \(image.size.height) pixels \(pixels) jpeg \(jpeg) png \(png)")
}

func edit() {
    guard let image = UIImage(data: file)?.cgImage,
        let context = CGContext(
            data: nil, width: image.width, height: image.height, bitsPerComponent: 8, bytesPerRow: 0,
            space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    else { exit(1) }
    context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
    context.setFillColor(UIColor.red.cgColor)
    context.fill(CGRect(x: 0, y: 0, width: 10, height: 10))
    guard let edited = context.makeImage(), let rendering = UIImage(cgImage: edited).jpegData(compressionQuality: 0.9)
    else { exit(1) }
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(separator: " ")[1] ?? "?"
    print("rendering \(rendering.count) peak \(peak)")
}

if CommandLine.arguments.last == "edit" {
    edit()
} else {
    printFacts()
    printFacts()
}
