// UIColor+Names: the colours that have a name; those of the system as they are in light appearance.

import Foundation

extension UIColor {
    private static func hex(_ value: Int, _ alpha: Double = 1) -> UIColor {
        func part(_ shift: Int) -> Double { Double(value >> shift & 0xFF) / 255 }
        return UIColor(red: part(16), green: part(8), blue: part(0), alpha: alpha)
    }

    public static let black = UIColor(white: 0, alpha: 1)
    public static let darkGray = UIColor(white: 1 / 3, alpha: 1)
    public static let gray = UIColor(white: 0.5, alpha: 1)
    public static let lightGray = UIColor(white: 2 / 3, alpha: 1)
    public static let white = UIColor(white: 1, alpha: 1)
    public static let clear = UIColor(white: 0, alpha: 0)
    public static let red = hex(0xFF0000)
    public static let green = hex(0x00FF00)
    public static let blue = hex(0x0000FF)
    public static let cyan = hex(0x00FFFF)
    public static let yellow = hex(0xFFFF00)
    public static let magenta = hex(0xFF00FF)
    public static let orange = UIColor(red: 1, green: 0.5, blue: 0, alpha: 1)
    public static let purple = UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1)
    public static let brown = UIColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1)

    public static let systemRed = hex(0xFF3B30)
    public static let systemOrange = hex(0xFF9500)
    public static let systemYellow = hex(0xFFCC00)
    public static let systemGreen = hex(0x34C759)
    public static let systemMint = hex(0x00C7BE)
    public static let systemTeal = hex(0x30B0C7)
    public static let systemCyan = hex(0x32ADE6)
    public static let systemBlue = hex(0x007AFF)
    public static let systemIndigo = hex(0x5856D6)
    public static let systemPurple = hex(0xAF52DE)
    public static let systemPink = hex(0xFF2D55)
    public static let systemBrown = hex(0xA2845E)
    public static let systemGray = hex(0x8E8E93)
    public static let systemGray2 = hex(0xAEAEB2)
    public static let systemGray3 = hex(0xC7C7CC)
    public static let systemGray4 = hex(0xD1D1D6)
    public static let systemGray5 = hex(0xE5E5EA)
    public static let systemGray6 = hex(0xF2F2F7)
    public static let tintColor = systemBlue

    public static let label = black
    public static let secondaryLabel = hex(0x3C3C43, 0.6)
    public static let tertiaryLabel = hex(0x3C3C43, 0.3)
    public static let quaternaryLabel = hex(0x3C3C43, 0.18)
    public static let placeholderText = tertiaryLabel
    public static let darkText = black
    public static let lightText = UIColor(white: 1, alpha: 0.6)
    public static let link = systemBlue
    public static let separator = hex(0x3C3C43, 0.29)
    public static let opaqueSeparator = hex(0xC6C6C8)
    public static let systemBackground = white
    public static let secondarySystemBackground = systemGray6
    public static let tertiarySystemBackground = white
    public static let systemGroupedBackground = systemGray6
    public static let secondarySystemGroupedBackground = white
    public static let tertiarySystemGroupedBackground = systemGray6
    public static let systemFill = hex(0x787880, 0.2)
    public static let secondarySystemFill = hex(0x787880, 0.16)
    public static let tertiarySystemFill = hex(0x767680, 0.12)
    public static let quaternarySystemFill = hex(0x747480, 0.08)
    public static let groupTableViewBackground = systemGray6
}
