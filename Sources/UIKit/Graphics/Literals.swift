// Literals: #imageLiteral and #colorLiteral, which the compiler makes of these.

import Foundation

public typealias _ImageLiteralType = UIImage
public typealias _ColorLiteralType = UIColor

extension UIImage: _ExpressibleByImageLiteral {
    /// An image of the bundle. One that is not there ends the process, as on Apple's systems.
    public convenience init(imageLiteralResourceName name: String) {
        let path = ["", "@2x", "@3x"].lazy.compactMap { Bundle.main.path(forResource: name + $0, ofType: "png") }.first
        guard let data = path.flatMap({ FileManager.default.contents(atPath: $0) }) else {
            fatalError("the bundle has no image “\(name)”")
        }
        self.init(data: data)!
    }
}

extension UIColor: _ExpressibleByColorLiteral {
    public convenience init(_colorLiteralRed red: Float, green: Float, blue: Float, alpha: Float) {
        self.init(red: CGFloat(red), green: CGFloat(green), blue: CGFloat(blue), alpha: CGFloat(alpha))
    }
}
