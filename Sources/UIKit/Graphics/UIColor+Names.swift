// UIColor+Names: named colours, those of the system in light appearance, and literals of colours and images.

import Foundation

extension UIColor {
    private static func hex(_ value: Int, _ alpha: Double = 1) -> UIColor {
        let (red, green, blue) = (value / 0x10000, value / 0x100 % 0x100, value % 0x100)
        return UIColor(red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255, alpha: alpha)
    }

    public static var black: UIColor { UIColor(white: 0, alpha: 1) }
    public static var darkGray: UIColor { UIColor(white: 1 / 3, alpha: 1) }
    public static var gray: UIColor { UIColor(white: 0.5, alpha: 1) }
    public static var lightGray: UIColor { UIColor(white: 2 / 3, alpha: 1) }
    public static var white: UIColor { UIColor(white: 1, alpha: 1) }
    public static var clear: UIColor { UIColor(white: 0, alpha: 0) }
    public static var red: UIColor { hex(0xFF0000) }
    public static var green: UIColor { hex(0x00FF00) }
    public static var blue: UIColor { hex(0x0000FF) }
    public static var cyan: UIColor { hex(0x00FFFF) }
    public static var yellow: UIColor { hex(0xFFFF00) }
    public static var magenta: UIColor { hex(0xFF00FF) }
    public static var orange: UIColor { UIColor(red: 1, green: 0.5, blue: 0, alpha: 1) }
    public static var purple: UIColor { UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1) }
    public static var brown: UIColor { UIColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1) }

    public static var systemRed: UIColor { hex(0xFF3B30) }
    public static var systemOrange: UIColor { hex(0xFF9500) }
    public static var systemYellow: UIColor { hex(0xFFCC00) }
    public static var systemGreen: UIColor { hex(0x34C759) }
    public static var systemMint: UIColor { hex(0x00C7BE) }
    public static var systemTeal: UIColor { hex(0x30B0C7) }
    public static var systemCyan: UIColor { hex(0x32ADE6) }
    public static var systemBlue: UIColor { hex(0x007AFF) }
    public static var systemIndigo: UIColor { hex(0x5856D6) }
    public static var systemPurple: UIColor { hex(0xAF52DE) }
    public static var systemPink: UIColor { hex(0xFF2D55) }
    public static var systemBrown: UIColor { hex(0xA2845E) }
    public static var systemGray: UIColor { hex(0x8E8E93) }
    public static var systemGray2: UIColor { hex(0xAEAEB2) }
    public static var systemGray3: UIColor { hex(0xC7C7CC) }
    public static var systemGray4: UIColor { hex(0xD1D1D6) }
    public static var systemGray5: UIColor { hex(0xE5E5EA) }
    public static var systemGray6: UIColor { hex(0xF2F2F7) }
    public static var tintColor: UIColor { systemBlue }

    public static var label: UIColor { black }
    public static var secondaryLabel: UIColor { hex(0x3C3C43, 0.6) }
    public static var tertiaryLabel: UIColor { hex(0x3C3C43, 0.3) }
    public static var quaternaryLabel: UIColor { hex(0x3C3C43, 0.18) }
    public static var placeholderText: UIColor { tertiaryLabel }
    public static var darkText: UIColor { black }
    public static var lightText: UIColor { UIColor(white: 1, alpha: 0.6) }
    public static var link: UIColor { systemBlue }
    public static var separator: UIColor { hex(0x3C3C43, 0.29) }
    public static var opaqueSeparator: UIColor { hex(0xC6C6C8) }
    public static var systemBackground: UIColor { white }
    public static var secondarySystemBackground: UIColor { systemGray6 }
    public static var tertiarySystemBackground: UIColor { white }
    public static var systemGroupedBackground: UIColor { systemGray6 }
    public static var secondarySystemGroupedBackground: UIColor { white }
    public static var tertiarySystemGroupedBackground: UIColor { systemGray6 }
    public static var systemFill: UIColor { hex(0x787880, 0.2) }
    public static var secondarySystemFill: UIColor { hex(0x787880, 0.16) }
    public static var tertiarySystemFill: UIColor { hex(0x767680, 0.12) }
    public static var quaternarySystemFill: UIColor { hex(0x747480, 0.08) }
    public static var groupTableViewBackground: UIColor { systemGray6 }

    /// Returns the colour that an asset catalogue names, such as `systemBlueColor`; nil for an unknown name.
    static func ofSystem(_ name: String) -> UIColor? {
        let all = [
            "systemRedColor": systemRed, "systemOrangeColor": systemOrange, "systemYellowColor": systemYellow,
            "systemGreenColor": systemGreen, "systemMintColor": systemMint, "systemTealColor": systemTeal,
            "systemCyanColor": systemCyan, "systemBlueColor": systemBlue, "systemIndigoColor": systemIndigo,
            "systemPurpleColor": systemPurple, "systemPinkColor": systemPink, "systemBrownColor": systemBrown,
            "systemGrayColor": systemGray, "systemGray2Color": systemGray2, "systemGray3Color": systemGray3,
            "systemGray4Color": systemGray4, "systemGray5Color": systemGray5, "systemGray6Color": systemGray6,
            "labelColor": label, "secondaryLabelColor": secondaryLabel,
            "tertiaryLabelColor": tertiaryLabel, "quaternaryLabelColor": quaternaryLabel,
            "placeholderTextColor": placeholderText, "darkTextColor": darkText, "lightTextColor": lightText,
            "linkColor": link, "separatorColor": separator, "opaqueSeparatorColor": opaqueSeparator,
            "systemBackgroundColor": systemBackground, "secondarySystemBackgroundColor": secondarySystemBackground,
            "tertiarySystemBackgroundColor": tertiarySystemBackground,
            "systemGroupedBackgroundColor": systemGroupedBackground,
            "secondarySystemGroupedBackgroundColor": secondarySystemGroupedBackground,
            "tertiarySystemGroupedBackgroundColor": tertiarySystemGroupedBackground, "systemFillColor": systemFill,
            "secondarySystemFillColor": secondarySystemFill, "tertiarySystemFillColor": tertiarySystemFill,
            "quaternarySystemFillColor": quaternarySystemFill,
            "groupTableViewBackgroundColor": groupTableViewBackground,
        ]
        return all[name]
    }
}

public typealias _ImageLiteralType = UIImage
public typealias _ColorLiteralType = UIColor

extension UIImage: _ExpressibleByImageLiteral {
    /// Makes an image of the bundle. A missing image ends the process, as on Apple's systems.
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
