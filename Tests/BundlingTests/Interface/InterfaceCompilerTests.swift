// InterfaceCompilerTests: storyboards and nibs, and what is none.

import BundleLint
import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@testable import Bundling

@Suite final class InterfaceCompilerTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    deinit { try? folder.remove() }

    private static let head =
        "<document type=\"com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB\" version=\"3.0\" initialViewController=\"a\">"

    private func compile(_ text: String) throws -> (value: PropertyListDictionary, findings: [ProjectFinding]) {
        let file = folder.path + "/Main.storyboard"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let compiled = try InterfaceCompiler.compile(file, module: "Share")
        let value = try #require(try PropertyList(file: compiled.bytes, limits: .file).dictionary)
        return (value, compiled.findings)
    }

    @Test func aSceneHasItsTree() throws {
        let text =
            Self.head + """
                <scenes><scene sceneID="s"><objects>
                <viewController storyboardIdentifier="First" id="a" customClass="Own" customModule="Other" sceneMemberID="viewController">
                <view key="view" id="v" hidden="YES" tag="3"><rect key="frame" x="1" y="2.5" width="3" height="nan"/><subviews>
                <button id="b"><state key="normal" title="Go &lt;on&gt;"/><state key="disabled"><string key="title">long
                text</string></state><connections><action selector="go:" destination="a" eventType="touchUpInside" id="x"/>
                <segue destination="c" kind="unwind" unwindAction="back:" identifier="i" id="y"/></connections></button>
                <tableView id="t"><prototypes><tableViewCell reuseIdentifier="cell" textLabel="l" detailTextLabel="m" imageView="n" id="p"><tableViewCellContentView key="contentView" id="q">
                <subviews><label text="in" id="l"/></subviews></tableViewCellContentView></tableViewCell></prototypes></tableView>
                </subviews><viewLayoutGuide key="safeArea" id="g"/><constraints><constraint firstItem="b" id="k"/></constraints></view>
                <connections><outlet property="button" destination="b" id="o"/></connections>
                <userDefinedRuntimeAttributes><userDefinedRuntimeAttribute type="number" keyPath="n"><integer key="value" value="4"/>
                </userDefinedRuntimeAttribute><userDefinedRuntimeAttribute type="color" keyPath="c"/></userDefinedRuntimeAttributes>
                </viewController></objects></scene></scenes></document>
                """
        let (value, findings) = try compile(text)
        #expect(findings.isEmpty && value["initial"] == "a" && value["module"] == "Share" && value["format"] == 1)
        let scene = try #require(value["scenes"]?.array?.first?.dictionary)
        let controller = try #require(scene["controller"]?.dictionary)
        #expect(
            scene["identifier"] == "First" && controller["custom"] == "Other.Own"
                && controller["class"] == "UIViewController")
        #expect(controller["attributes"] == [["path": "n", "value": 4]])
        #expect(controller["outlets"] == [["property": "button", "destination": "b", "isCollection": false]])
        let view = try #require(controller["members"]?.dictionary?["view"]?.dictionary)
        #expect(
            view["values"]?.dictionary?["frame"] == [1.0, 2.5, 3.0, 0.0]
                && view["values"]?.dictionary?["hidden"] == true)
        let subviews = try #require(view["lists"]?.dictionary?["subviews"]?.array).compactMap { $0.dictionary }
        #expect(subviews.map { $0["class"] } == ["UIButton", "UITableView"])
        let titles = subviews[0]["values"]?.dictionary
        #expect(titles?["title.normal"] == "Go <on>" && titles?["title.disabled"]?.string?.contains("long") == true)
        #expect(subviews[0]["actions"] == [["selector": "go:", "destination": "a", "event": "touchUpInside"]])
        #expect(subviews[0]["segues"]?.array?.first?.dictionary?["unwind"] == "back:")
        let cell = try #require(subviews[1]["lists"]?.dictionary?["prototypes"]?.array?.first?.dictionary)
        #expect(
            cell["values"] == [
                "reuseIdentifier": "cell", "textLabel": "l", "detailTextLabel": "m", "imageView": "n",
            ])
    }

    @Test func aViewOfAnotherFrameworkHasItsClass() throws {
        let (value, findings) = try compile(
            Self.head
                + "<scenes><scene sceneID=\"s\"><objects><viewController id=\"a\" sceneMemberID=\"viewController\">"
                + "<mtkView key=\"view\" id=\"m\"/></viewController></objects></scene></scenes></document>")
        let controller = value["scenes"]?.array?.first?.dictionary?["controller"]?.dictionary
        #expect(controller?["members"]?.dictionary?["view"]?.dictionary?["class"] == "MetalKit.MTKView")
        #expect(findings.isEmpty)
    }

    @Test func whatIsNotKnownIsAPlainViewAndTold() throws {
        let (value, findings) = try compile(
            Self.head
                + "<scenes><scene sceneID=\"s\"><objects><mapController id=\"a\" sceneMemberID=\"viewController\">\n"
                + "<mapView key=\"view\" id=\"m\"/></mapController></objects></scene></scenes></document>")
        #expect(
            findings.map(\.code) == ["interfaceUnsupported", "interfaceUnsupported"]
                && findings.allSatisfy { $0.severity == .warning })
        #expect(findings.map(\.line) == [1, 2])
        let controller = value["scenes"]?.array?.first?.dictionary?["controller"]?.dictionary
        #expect(controller?["class"] == "UIViewController")
        #expect(controller?["members"]?.dictionary?["view"]?.dictionary?["class"] == "UIView")
    }

    @Test func constraintsThatAreNamedAreCompiled() throws {
        let (value, findings) = try compile(
            """
            <document type="com.apple.InterfaceBuilder3.CocoaTouch.XIB"><objects>
            <placeholder placeholderIdentifier="IBFilesOwner" id="-1" customClass="Own"><connections>
            <outlet property="height" destination="h" id="o"/><outletCollection property="all" destination="r" id="p"/>
            <outlet property="gone" destination="g" id="q"/></connections></placeholder>
            <view id="v"><constraints>
            <constraint firstAttribute="height" constant="44.5" priority="750" id="h"/>
            <constraint firstItem="v" firstAttribute="width" relation="lessThanOrEqual" secondItem="s" secondAttribute="width"
            multiplier="16:8" constant="standard" id="r" customClass="Edge"/>
            <constraint firstAttribute="top" identifier="top" multiplier="x" id="i"/>
            <constraint firstAttribute="left" id="n"/><constraint placeholder="YES" firstAttribute="right" id="g"/>
            </constraints><viewLayoutGuide key="safeArea" id="s"/></view></objects></document>
            """)
        let view = try #require(value["objects"]?.array?.last?.dictionary)
        #expect(findings.isEmpty && view["values"] == ["safeArea": "s"])
        let constraints = try #require(view["lists"]?.dictionary?["constraints"]?.array)
        #expect(
            constraints == [
                [
                    "id": "h", "class": "NSLayoutConstraint",
                    "values": ["firstAttribute": "height", "constant": 44.5, "priority": 750.0],
                ],
                [
                    "id": "r", "class": "NSLayoutConstraint", "custom": "Edge",
                    "values": [
                        "firstItem": "v", "firstAttribute": "width", "relation": "lessThanOrEqual", "secondItem": "s",
                        "secondAttribute": "width", "constant": 8.0, "multiplier": 2.0,
                    ],
                ],
                ["id": "i", "class": "NSLayoutConstraint", "values": ["firstAttribute": "top", "identifier": "top"]],
            ])
    }

    @Test func aCollectionHasItsLayoutAndCells() throws {
        let (value, findings) = try compile(
            """
            <document type="com.apple.InterfaceBuilder3.CocoaTouch.XIB"><objects><collectionView id="v">
            <collectionViewFlowLayout key="collectionViewLayout" minimumLineSpacing="3" id="f"><size key="itemSize" width="4"
            height="5"/></collectionViewFlowLayout><cells><collectionViewCell reuseIdentifier="own" id="c">
            <view key="contentView"><subviews><label text="in" id="l"/></subviews></view></collectionViewCell></cells>
            <collectionReusableView key="sectionHeaderView" reuseIdentifier="head" id="h"/></collectionView></objects></document>
            """)
        let view = try #require(value["objects"]?.array?.last?.dictionary)
        let members = try #require(view["members"]?.dictionary)
        #expect(findings.isEmpty && view["class"] == "UICollectionView")
        let layout = members["collectionViewLayout"]?.dictionary
        #expect(layout?["values"] == ["itemSize": [4.0, 5.0], "minimumLineSpacing": 3.0])
        #expect(members["sectionHeaderView"]?.dictionary?["values"] == ["reuseIdentifier": "head"])
        let cell = view["lists"]?.dictionary?["cells"]?.array?.first?.dictionary
        let content = cell?["members"]?.dictionary?["contentView"]?.dictionary
        #expect(content?["lists"]?.dictionary?["subviews"]?.array?.count == 1)
    }

    @Test func aNibHasItsObjects() throws {
        let (value, _) = try compile(
            "<document type=\"com.apple.InterfaceBuilder3.CocoaTouch.XIB\"><objects>"
                + "<placeholder placeholderIdentifier=\"IBFilesOwner\" id=\"-1\" customClass=\"Own\"/><view id=\"v\"/></objects></document>"
        )
        #expect(value["objects"]?.array?.compactMap { $0.dictionary?["class"]?.string } == ["placeholder", "UIView"])
    }

    @Test(arguments: [
        ("", 1), ("<document/>", 1), ("\n<document type=\"com.apple.InterfaceBuilder3.Cocoa.XIB\"/>", 2),
        ("<a>\n<b>\n</a>", 3),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", 1), ("<a b=\"&c;\"/>", 1), ("<a b=c/>", 1), ("<a b=\"<\"/>", 1),
        ("<a>", 1),
        ("<a/><b/>", 1), ("<a>\n<!-- </a>", 2), ("<a b=\"1", 1), ("<a>&#xD800;</a>", 1), ("<>", 1),
    ])
    func aFaultHasItsLine(text: String, line: Int) throws {
        let error = try #require(throws: ProjectError.self) { try compile(text) }
        #expect(error.findings.map(\.code) == ["interfaceUnreadable"] && error.findings.first?.line == line, "\(error)")
    }

    @Test(arguments: [
        ("<archive type=\"com.apple.InterfaceBuilder3.CocoaTouch.XIB\"/>", "Xcode 4"),
        ("<document type=\"com.apple.InterfaceBuilder3.Cocoa.XIB\"/>", "AppKit"),
        ("<document type=\"com.apple.InterfaceBuilder3.CocoaTouch.XIB\"/>", nil),
    ])
    func anInterfaceOfAnotherFormIsLeftOut(text: String, words: String?) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/a.xib"))
        let obstacle = InterfaceCompiler.obstacle(folder.path + "/a.xib")
        #expect(words.map { obstacle?.contains($0) == true } ?? (obstacle == nil))
    }

    @Test func depthAndNumbersAreBounded() throws {
        #expect(throws: XMLTreeReader.Fault.self) {
            try XMLTreeReader.read(Array(String(repeating: "<a>", count: 100_000).utf8))
        }
        let wide = "<a " + (0..<1000).map { "b\($0)=\"\"" }.joined(separator: " ") + "/>"
        #expect(throws: XMLTreeReader.Fault.self) { try XMLTreeReader.read(Array(wide.utf8)) }
        let text = Array("<?xml version=\"1.0\"?><a b=\"&amp;\"><![CDATA[<]]><c/>&#65;<!-- d --></a>".utf8)
        #expect(try XMLTreeReader.read(text).text == "<A")
        for length in 0..<text.count { _ = try? XMLTreeReader.read(Array(text.prefix(length))) }
    }
}
