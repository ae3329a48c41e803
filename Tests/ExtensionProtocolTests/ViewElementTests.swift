// ViewElementTests: a view as a property list, and a stranger's that is refused.

import ExtensionProtocol
import PropertyListCoding
import Testing

@Suite struct ViewElementTests {
    private var sheet: ViewElement {
        var sheet = ViewElement(
            .sheet, name: "n", title: "t", text: "x", children: [ViewElement(.item, title: "Public", text: "No")])
        sheet.placeholder = "p"
        sheet.remaining = -3
        sheet.isEnabled = false
        sheet.children[0].isPending = true
        sheet.children[0].isSelected = true
        return sheet
    }

    @Test func everyFieldComesBack() throws {
        #expect(try ViewElement(plist: sheet.plist) == sheet)
        let bytes = try sheet.plist.encodeBinary()
        #expect(try ViewElement(plist: PropertyList(binary: bytes, limits: .payload)) == sheet)
    }

    @Test func usualValuesAreLeftOut() {
        #expect(ViewElement(.label).plist == ["kind": "label"])
    }

    @Test func anUnknownKindIsKept() throws {
        #expect(try ViewElement(plist: ["kind": "hologram"]).kind.rawValue == "hologram")
    }

    @Test(
        arguments: [
            "x", [:], ["kind": 1], ["kind": "view", "title": 1], ["kind": "view", "remaining": "1"],
            ["kind": "view", "enabled": "no"],
            ["kind": "view", "children": ["x"]], ["kind": "view", "children": [[:]]],
        ] as [PropertyList])
    func whatIsNoViewIsRefused(_ plist: PropertyList) {
        #expect(throws: ProtocolError.self) { try ViewElement(plist: plist) }
    }

    @Test func depthAndCountAreBounded() {
        var deep: PropertyList = ["kind": "view"]
        for _ in 1..<ViewElement.deepest { deep = ["kind": "view", "children": .array([deep])] }
        #expect(throws: Never.self) { try ViewElement(plist: deep) }
        #expect(throws: ProtocolError.self) { try ViewElement(plist: ["kind": "view", "children": .array([deep])]) }
        let leaf: PropertyList = ["kind": "label"]
        let wide = Array(repeating: leaf, count: ViewElement.most)
        #expect(throws: Never.self) {
            try ViewElement(plist: ["kind": "view", "children": .array(Array(wide.dropLast()))])
        }
        #expect(throws: ProtocolError.self) { try ViewElement(plist: ["kind": "view", "children": .array(wide)]) }
    }
}
