// StoryboardTests: controllers, nibs, cells and segues made from compiled files.

import ExtensionFoundation
import Foundation
import Testing

@testable import UIKit

@MainActor class Drawn: UIViewController {
    var label: UILabel?
    weak var height: NSLayoutConstraint!
    var edges: [NSLayoutConstraint]!
    var calls: [String] = []

    override func awakeFromNib() { calls.append("awake") }
    override func viewDidLoad() { calls.append("loaded \(label?.text ?? "nothing")") }
    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        calls.append("\(type(of: segue)) \(segue.identifier ?? "") \(segue.destination is Drawn)")
    }
    override func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool { identifier != "never" }
}

final class __Methods_Drawn: _MethodTable {
    static var methods: [_Method] {
        [
            _Method("setLabel:") { target, arguments in (target as? Drawn)?.label = arguments[0, UILabel?.self] },
            _Method("setHeight:") { target, arguments in
                (target as? Drawn)?.height = arguments[0, NSLayoutConstraint?.self]
            },
            _Method("setEdges:") { target, arguments in
                (target as? Drawn)?.edges = arguments[0, [NSLayoutConstraint]?.self]
            },
            _Method("back:") { target, arguments in
                (target as? Drawn)?.calls.append("back \(arguments[0, UIStoryboardSegue.self].identifier ?? "")")
            },
            _Method("tap:") { target, arguments in
                (target as? Drawn)?.calls.append("tap \(arguments[0, UIBarButtonItem.self].title ?? "")")
            },
        ]
    }
}

final class OwnConstraint: NSLayoutConstraint {
    var isAwake = false
    override func awakeFromNib() { isAwake = true }
}

final class OwnSegue: UIStoryboardSegue {
    override func perform() { (source as? Drawn)?.calls.append("own") }
}

@MainActor final class DrawnCell: UITableViewCell {
    var label: UILabel?
}

final class __Methods_DrawnCell: _MethodTable {
    static var methods: [_Method] {
        [_Method("setLabel:") { target, arguments in (target as? DrawnCell)?.label = arguments[0, UILabel?.self] }]
    }
}

/// A bundle with one storyboard and one nib, as `exthostctl bundle` compiles them.
@MainActor @Suite final class StoryboardTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("exthost-\(UUID().uuidString)")
    private var bundle: Bundle { Bundle(path: folder.path)! }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ name: String, _ keys: [String: Any]) throws {
        let all = keys.merging(["format": 1, "module": "UIKitTests"]) { $1 }
        try PropertyListSerialization.data(fromPropertyList: all, format: .binary, options: 0)
            .write(to: folder.appendingPathComponent(name))
    }

    private func label(_ id: String, _ text: String) -> [String: Any] {
        ["id": id, "class": "UILabel", "values": ["text": text, "frame": [1.0, 2.0, 3.0, 4.0]]]
    }

    private func writeStoryboard() throws {
        let button: [String: Any] = [
            "id": "go", "class": "UIButton", "values": ["title.normal": "Go", "title.disabled": "Wait", "tag": 4.0],
            "segues": [["destination": "second", "kind": "presentation", "identifier": "go"]],
        ]
        let table: [String: Any] = [
            "id": "table", "class": "UITableView",
            "lists": [
                "prototypes": [
                    [
                        "id": "cell", "class": "UITableViewCell", "custom": "DrawnCell",
                        "values": ["reuseIdentifier": "own"],
                        "members": [
                            "contentView": [
                                "id": "content", "class": "UIView", "lists": ["subviews": [label("in", "cell")]],
                            ]
                        ], "outlets": [["property": "label", "destination": "in", "isCollection": false]],
                    ]
                ]
            ],
        ]
        let first: [String: Any] = [
            "id": "first", "class": "UIViewController", "custom": "Drawn",
            "members": [
                "view": [
                    "id": "view", "class": "UIView",
                    "lists": [
                        "subviews": [
                            label("label", "drawn"), button, table,
                            [
                                "id": "holder", "class": "UIView",
                                "segues": [["destination": "second", "kind": "embed", "identifier": "child"]],
                            ],
                        ]
                    ],
                ],
                "navigationItem": [
                    "id": "item", "class": "UINavigationItem", "values": ["title": "First"],
                    "members": [
                        "rightBarButtonItem": [
                            "id": "bar", "class": "UIBarButtonItem", "values": ["title": "Done"],
                            "actions": [["selector": "tap:", "destination": "first", "event": ""]],
                        ]
                    ],
                ],
            ], "outlets": [["property": "label", "destination": "label", "isCollection": false]],
            "segues": [
                ["destination": "second", "kind": "custom", "identifier": "own", "custom": "OwnSegue"],
                ["destination": "second", "kind": "show", "identifier": "show"],
            ],
        ]
        let second: [String: Any] = [
            "id": "second", "class": "UIViewController", "custom": "Drawn",
            "segues": [["destination": "exit", "kind": "unwind", "unwind": "back:", "identifier": "home"]],
        ]
        try write(
            "Main.storyboardc",
            [
                "initial": "first",
                "scenes": [
                    ["controller": first, "objects": []],
                    ["controller": second, "identifier": "Second", "objects": []],
                ],
            ])
    }

    @Test func theViewIsMadeWhenItIsAskedFor() throws {
        try writeStoryboard()
        let storyboard = UIStoryboard(name: "Main", bundle: bundle)
        let first = try #require(storyboard.instantiateInitialViewController() as? Drawn)
        #expect(first.calls == ["awake"] && first.viewIfLoaded == nil && first.storyboard === storyboard)
        first.loadViewIfNeeded()
        #expect(first.calls == ["awake", "UIStoryboardSegue child true", "loaded drawn"])
        #expect(first.label?.frame == CGRect(x: 1, y: 2, width: 3, height: 4) && first.children.count == 1)
        #expect(first.view.subviews[3].subviews.first === first.children[0].view)
        #expect(first.navigationItem.title == "First")
        first.navigationItem.rightBarButtonItem?.tap(from: first)
        #expect(first.calls.last == "tap Done")
        #expect(storyboard.instantiateViewController(withIdentifier: "Second") is Drawn)
        let made: Drawn = storyboard.instantiateViewController(identifier: "Second") { Drawn(coder: $0) }
        #expect(made.calls == ["awake"])
    }

    /// Shown or not: what a controller keeps until its view is loaded does not keep the controller.
    @Test func aControllerThatNobodyKeepsIsGone() throws {
        try writeStoryboard()
        let storyboard = UIStoryboard(name: "Main", bundle: bundle)
        weak var first: UIViewController?
        weak var shown: UIViewController?
        do {
            first = storyboard.instantiateInitialViewController()
            let controller = storyboard.instantiateInitialViewController()
            controller?.loadViewIfNeeded()
            shown = controller
            #expect(shown != nil)
        }
        #expect(first == nil && shown == nil)
    }

    /// An outlet that nothing is behind ends the author's process at its first use.
    @Test func constraintsAreThereForTheirOutlets() throws {
        func constraint(_ id: String, _ values: [String: Any], custom: String? = nil) -> [String: Any] {
            let all: [String: Any] = ["id": id, "class": "NSLayoutConstraint", "values": values]
            return custom.map { all.merging(["custom": $0]) { $1 } } ?? all
        }
        let inner: [String: Any] = [
            "id": "inner", "class": "UIView",
            "lists": [
                "constraints": [
                    constraint(
                        "h",
                        [
                            "firstAttribute": "height", "constant": 44.0, "priority": 250.0, "identifier": "tall",
                            "relation": "greaterThanOrEqual",
                        ])
                ]
            ],
        ]
        let top = constraint(
            "t",
            [
                "firstItem": "inner", "firstAttribute": "top", "secondItem": "guide", "secondAttribute": "topMargin",
                "multiplier": 0.5,
            ], custom: "OwnConstraint")
        let view: [String: Any] = [
            "id": "v", "class": "UIView", "values": ["safeArea": "guide"],
            "lists": ["subviews": [inner], "constraints": [top, constraint("b", ["firstItem": "nobody"])]],
        ]
        let outlets: [[String: Any]] = [
            ["property": "height", "destination": "h", "isCollection": false],
            ["property": "edges", "destination": "t", "isCollection": true],
            ["property": "edges", "destination": "b", "isCollection": true],
        ]
        let controller: [String: Any] = [
            "id": "c", "class": "UIViewController", "custom": "Drawn", "members": ["view": view], "outlets": outlets,
        ]
        try write("Main.storyboardc", ["initial": "c", "scenes": [["controller": controller, "objects": []]]])
        let made = try #require(
            UIStoryboard(name: "Main", bundle: bundle).instantiateInitialViewController() as? Drawn)
        made.loadViewIfNeeded()
        let height = try #require(made.height)
        let inside = try #require(made.view.subviews.first)
        #expect(height.firstItem === inside && height.firstAttribute == .height && height.isActive)
        #expect(height.constant == 44 && height.priority == .defaultLow && height.relation == .greaterThanOrEqual)
        #expect(height.identifier == "tall" && height.secondItem == nil && inside.constraints == [height])
        let edges = try #require(made.edges)
        #expect(edges.count == 2 && made.view.constraints == edges && edges[1].firstItem == nil)
        #expect((edges[0] as? OwnConstraint)?.isAwake == true && edges[0].multiplier == 0.5)
        #expect(edges[0].firstItem === inside && edges[0].secondItem === made.view.safeAreaLayoutGuide)
        #expect(edges[0].firstAttribute == .top && edges[0].secondAttribute == .topMargin)
        height.constant = 0
        #expect(made.height.constant == 0)
    }

    @Test func aTableMakesTheCellsThatWereDrawn() throws {
        try writeStoryboard()
        let first = UIStoryboard(name: "Main", bundle: bundle).instantiateInitialViewController()
        let table = try #require(first?.view.subviews[2] as? UITableView)
        let cell = try #require(table.dequeueReusableCell(withIdentifier: "own") as? DrawnCell)
        #expect(
            cell.label?.text == "cell" && cell.reuseIdentifier == "own" && cell.label?.superview === cell.contentView)
        #expect(table.dequeueReusableCell(withIdentifier: "other") == nil)
        #expect(table.dequeueReusableCell(withIdentifier: "own") !== cell)
    }

    @Test func theLabelsOfACellOfAStandardStyleAreItsOwn() throws {
        let image: [String: Any] = ["id": "image", "class": "UIImageView", "values": ["tag": 7.0]]
        let cell: [String: Any] = [
            "id": "cell", "class": "UITableViewCell",
            "values": [
                "reuseIdentifier": "standard", "textLabel": "title", "detailTextLabel": "detail", "imageView": "image",
            ],
            "members": [
                "contentView": [
                    "id": "content", "class": "UIView",
                    "lists": [
                        "subviews": [label("title", "Title"), label("detail", "Detail"), image, label("x", "more")]
                    ],
                ]
            ],
        ]
        let table: [String: Any] = ["id": "v", "class": "UITableView", "lists": ["prototypes": [cell]]]
        let controller: [String: Any] = ["id": "c", "class": "UIViewController", "members": ["view": table]]
        try write("Cells.storyboardc", ["initial": "c", "scenes": [["controller": controller, "objects": []]]])
        let made = UIStoryboard(name: "Cells", bundle: bundle).instantiateInitialViewController()
        let drawn = try #require((made?.view as? UITableView)?.dequeueReusableCell(withIdentifier: "standard"))
        #expect(drawn.textLabel?.text == "Title" && drawn.detailTextLabel?.text == "Detail")
        #expect(drawn.imageView?.tag == 7)
        #expect(drawn.contentView.subviews.map { ($0 as? UILabel)?.text } == ["more"])
    }

    @Test func aCollectionMakesWhatWasDrawn() throws {
        let cell: [String: Any] = [
            "id": "cell", "class": "UICollectionViewCell", "values": ["reuseIdentifier": "own"],
            "members": ["contentView": ["id": "", "class": "UIView", "lists": ["subviews": [label("in", "cell")]]]],
        ]
        let collection: [String: Any] = [
            "id": "v", "class": "UICollectionView", "lists": ["cells": [cell]],
            "members": [
                "collectionViewLayout": [
                    "id": "f", "class": "UICollectionViewFlowLayout",
                    "values": ["itemSize": [7.0, 8.0], "minimumLineSpacing": 2.0, "scrollDirection": "horizontal"],
                ],
                "sectionHeaderView": [
                    "id": "h", "class": "UICollectionReusableView", "values": ["reuseIdentifier": "head"],
                    "lists": ["subviews": [label("t", "header")]],
                ],
            ],
            "outlets": [
                ["property": "dataSource", "destination": "c", "isCollection": false],
                ["property": "delegate", "destination": "c", "isCollection": false],
            ],
        ]
        let controller: [String: Any] = [
            "id": "c", "class": "UICollectionViewController", "members": ["view": collection],
        ]
        try write("Main.storyboardc", ["initial": "c", "scenes": [["controller": controller, "objects": []]]])
        let storyboard = UIStoryboard(name: "Main", bundle: bundle)
        let made = try #require(storyboard.instantiateInitialViewController() as? UICollectionViewController)
        let view = try #require(made.collectionView)
        #expect(view.dataSource === made && view.delegate === made)
        let layout = try #require(view.collectionViewLayout as? UICollectionViewFlowLayout)
        #expect(layout.itemSize == CGSize(width: 7, height: 8) && layout.collectionView === view)
        #expect(layout.minimumLineSpacing == 2 && layout.scrollDirection == .horizontal)
        let place = IndexPath(item: 0, section: 0)
        let drawn = view.dequeueReusableCell(withReuseIdentifier: "own", for: place)
        #expect(drawn.reuseIdentifier == "own" && (drawn.contentView.subviews.first as? UILabel)?.text == "cell")
        let header = view.dequeueReusableSupplementaryView(
            ofKind: UICollectionView.elementKindSectionHeader, withReuseIdentifier: "head", for: place)
        #expect((header.subviews.first as? UILabel)?.text == "header")
    }

    @Test func seguesGoThereAndBack() throws {
        try writeStoryboard()
        let first = try #require(
            UIStoryboard(name: "Main", bundle: bundle).instantiateInitialViewController() as? Drawn)
        let stack = UINavigationController(rootViewController: first)
        first.loadViewIfNeeded()
        first.calls = []
        first.performSegue(withIdentifier: "own", sender: nil)
        #expect(first.calls == ["OwnSegue own true", "own"])
        first.performSegue(withIdentifier: "show", sender: nil)
        let second = try #require(stack.topViewController as? Drawn)
        #expect(second !== first && stack.viewControllers.count == 2)
        second.performSegue(withIdentifier: "home", sender: nil)
        #expect(stack.topViewController === first && first.calls.last == "back home")
        (first.view.subviews[1] as? UIButton)?.sendActions(for: .touchUpInside)
        let shown = try #require(first.presentedViewController as? Drawn)
        #expect(first.calls.last == "UIStoryboardSegue go true")
        shown.performSegue(withIdentifier: "home", sender: nil)
        #expect(first.presentedViewController == nil)
    }

    @Test func aNibFillsItsOwner() throws {
        let view: [String: Any] = ["id": "v", "class": "UIView", "lists": ["subviews": [label("l", "in a nib")]]]
        let owner: [String: Any] = [
            "id": "-1", "class": "placeholder", "custom": "Drawn", "values": ["placeholderIdentifier": "IBFilesOwner"],
            "outlets": [
                ["property": "view", "destination": "v", "isCollection": false],
                ["property": "label", "destination": "l", "isCollection": false],
            ],
        ]
        // Before the bundle is looked into: Foundation remembers what a folder holds.
        try write("Drawn.nib", ["objects": [owner, view]])
        try write("Cell.nib", ["objects": [["id": "c", "class": "UITableViewCell"] as [String: Any]]])
        let controller = Drawn(nibName: "Drawn", bundle: bundle)
        #expect(controller.view.subviews.count == 1 && controller.label?.text == "in a nib")
        #expect(controller.calls == ["loaded in a nib"])
        let table = UITableView()
        table.register(UINib(nibName: "Cell", bundle: bundle), forCellReuseIdentifier: "a")
        #expect(table.dequeueReusableCell(withIdentifier: "a")?.reuseIdentifier == "a")
        #expect(bundle.loadNibNamed("Cell", owner: nil)?.count == 1 && bundle.loadNibNamed("None", owner: nil) == nil)
    }

    /// A file of another format, or a hostile one, is as if it were not there.
    @Test func whatIsNotUnderstoodIsNotThere() throws {
        for bytes in [Data(), Data("bplist00".utf8), Data("<plist/>".utf8)] {
            try bytes.write(to: folder.appendingPathComponent("Main.storyboardc"))
            #expect(InterfaceArchive("Main", ending: "storyboardc", bundle: bundle) == nil)
        }
        try write(
            "Main.storyboardc",
            ["scenes": [["controller": 3], "x", ["controller": [:], "objects": 4]], "initial": "none"])
        let storyboard = UIStoryboard(name: "Main", bundle: bundle)
        #expect(storyboard.instantiateInitialViewController() == nil)
        #expect(InterfaceArchive("None", ending: "storyboardc", bundle: bundle) == nil)
    }
}
