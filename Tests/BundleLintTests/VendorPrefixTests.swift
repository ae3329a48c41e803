// VendorPrefixTests: the vendor that a group is named after, on which consent depends.

import ExtensionProtocol
import ExtensionRegistry
import Testing

@Suite struct VendorPrefixTests {
    @Test(arguments: [
        ("group.org.example.notes", "org.example"), ("group.Org.Example", "org.example"), ("group.notes", nil),
        // The Mac has such groups, with and without the identifier of a team.
        ("A1B2C3D4E5.org.example.notes", "org.example"), ("A1B2C3D4E5.notes", nil), ("A1B2C3D4E5", nil),
        ("org.example.notes", "org.example"), ("a1b2c3d4e5.org.example", "a1b2c3d4e5.org"), ("Notes", nil),
    ])
    func aGroupIsNamedAfterAVendor(name: String, vendor: String?) throws {
        #expect(VendorPrefix(group: try GroupIdentifier(name))?.description == vendor)
    }
}
