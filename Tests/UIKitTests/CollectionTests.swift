// CollectionTests: items of a collection are made, seen and tapped as a person would.

import ExtensionFoundation
import ExtensionProtocol
import Foundation
import Testing

@testable import UIKit

/// As authors write it: by a frame, with an outlet of its own.
final class WordCell: UICollectionViewCell {
    let label = UILabel()
    let button = UIButton(type: .system)
    var wasSelected: [Bool] = []
    override var isSelected: Bool { didSet { wasSelected.append(isSelected) } }

    override init(frame: CGRect) {
        super.init(frame: frame)
        contentView.addSubview(label)
        contentView.addSubview(button)
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }
}

final class HeaderView: UICollectionReusableView {
    let label = UILabel()
    override init(frame: CGRect) {
        super.init(frame: frame)
        addSubview(label)
    }
    required init?(coder: NSCoder) { super.init(coder: coder) }
}

@MainActor final class WordsController: UICollectionViewController, UICollectionViewDelegateFlowLayout {
    var words = [["one", "two", "three"], ["four"]]
    var calls: [String] = []
    var made = 0
    var refused: Set<IndexPath> = []

    override func viewDidLoad() {
        super.viewDidLoad()
        collectionView.register(WordCell.self, forCellWithReuseIdentifier: "word")
        collectionView.register(
            HeaderView.self, forSupplementaryViewOfKind: UICollectionView.elementKindSectionHeader,
            withReuseIdentifier: "word")
    }

    override func numberOfSections(in collectionView: UICollectionView) -> Int { words.count }
    override func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
        words[section].count
    }
    override func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        made += 1
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "word", for: indexPath)
        (cell as? WordCell)?.label.text = words[indexPath.section][indexPath.item]
        (cell as? WordCell)?.button.setTitle("More \(indexPath.item)", for: .normal)
        (cell as? WordCell)?.button.addAction(
            UIAction { [weak self] _ in self?.calls.append("more \(indexPath.item)") }, for: .touchUpInside)
        return cell
    }
    override func collectionView(
        _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> UICollectionReusableView {
        let view = collectionView.dequeueReusableSupplementaryView(
            ofKind: kind, withReuseIdentifier: "word", for: indexPath)
        (view as? HeaderView)?.label.text = "Section \(indexPath.section)"
        return view
    }
    func collectionView(
        _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
        sizeForItemAt indexPath: IndexPath
    ) -> CGSize { CGSize(width: 10 * words[indexPath.section][indexPath.item].count, height: 20) }
    func collectionView(
        _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
        referenceSizeForHeaderInSection section: Int
    ) -> CGSize { section == 0 ? CGSize(width: 0, height: 30) : .zero }

    override func collectionView(_ collectionView: UICollectionView, shouldSelectItemAt indexPath: IndexPath) -> Bool {
        !refused.contains(indexPath)
    }
    override func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
        calls.append("selected \(words[indexPath.section][indexPath.item])")
    }
    override func collectionView(_ collectionView: UICollectionView, didDeselectItemAt indexPath: IndexPath) {
        calls.append("deselected \(words[indexPath.section][indexPath.item])")
    }
    override func collectionView(_ collectionView: UICollectionView, didHighlightItemAt indexPath: IndexPath) {
        calls.append("touched")
    }
}

@MainActor @Suite struct CollectionTests {
    let controller = WordsController(collectionViewLayout: UICollectionViewFlowLayout())

    private func tap(_ name: String) throws {
        try controller.perform(UseView(request: RequestIdentifier(), action: "tap", name: name, text: nil))
    }

    @Test func itemsAreSeenWithTheirHeaders() throws {
        let view = controller.describe()
        let collection = try #require(view.children.first)
        #expect(
            collection.kind == .table
                && collection.all.compactMap(\.text) == [
                    "Section 0", "one", "two", "three", "four",
                ])
        #expect(
            collection.all.filter { $0.kind == .button }.compactMap(\.title) == [
                "More 0", "More 1", "More 2", "More 0",
            ])
        // Each cell once, of its size, as long as its item is the same.
        let cell = try #require(controller.collectionView.cellForItem(at: IndexPath(item: 2, section: 0)))
        #expect(cell.frame.size == CGSize(width: 50, height: 20) && cell.superview === controller.collectionView)
        #expect(controller.collectionView.indexPath(for: cell)?.item == 2)
        #expect(controller.describe() == view && controller.made == 4)
        controller.words[0][2] = "new"
        controller.collectionView.reloadItems(at: [IndexPath(item: 2, section: 0)])
        #expect(controller.describe().all.compactMap(\.text).contains("new") && controller.made == 5)
        controller.words = [["last"]]
        controller.collectionView.reloadData()
        #expect(controller.describe().all.compactMap(\.text) == ["Section 0", "last"] && controller.made == 6)
        #expect(controller.collectionView.cellForItem(at: IndexPath(item: 3, section: 0)) == nil)
    }

    @Test func aTapSelectsAndTellsTheDelegate() throws {
        try tap("one")
        try tap("two")
        try tap("two")
        #expect(
            controller.calls == [
                "touched", "selected one", "touched", "deselected one", "selected two", "touched", "selected two",
            ])
        let cell = try #require(controller.collectionView.cellForItem(at: IndexPath(item: 0, section: 0)) as? WordCell)
        #expect(cell.wasSelected == [true, false])
        #expect(controller.describe().all.filter(\.isSelected).flatMap(\.all).compactMap(\.text) == ["two"])
        controller.refused = [IndexPath(item: 2, section: 0)]
        try tap("three")
        #expect(controller.collectionView.indexPathsForSelectedItems == [IndexPath(item: 1, section: 0)])
        // A button within a cell is one like any other, also before anybody has looked.
        try tap("More 2")
        #expect(controller.calls.last == "more 2")
        #expect(throws: ExtensionHostError.self) { try tap("nothing") }
    }

    @Test func severalItemsAreSelectedAndLetGo() throws {
        controller.loadViewIfNeeded()
        controller.collectionView.allowsMultipleSelection = true
        controller.collectionView.selectItem(
            at: IndexPath(item: 0, section: 1), animated: false, scrollPosition: .top)
        #expect(controller.calls.isEmpty)
        try tap("one")
        try tap("four")
        #expect(controller.calls == ["touched", "selected one", "touched", "deselected four"])
        #expect(controller.collectionView.indexPathsForSelectedItems == [IndexPath(item: 0, section: 0)])
        controller.collectionView.deselectItem(at: IndexPath(item: 0, section: 0), animated: false)
        #expect(controller.collectionView.indexPathsForSelectedItems == [] && controller.calls.count == 4)
    }

    @Test func layoutsAreCarried() {
        let size = NSCollectionLayoutSize(widthDimension: .fractionalWidth(0.5), heightDimension: .absolute(20))
        let group = NSCollectionLayoutGroup.horizontal(
            layoutSize: size, subitem: NSCollectionLayoutItem(layoutSize: size), count: 2)
        let layout = UICollectionViewCompositionalLayout { _, environment in
            environment.container.effectiveContentSize.width > 0 ? NSCollectionLayoutSection(group: group) : nil
        }
        let collection = UICollectionView(frame: .zero, collectionViewLayout: layout)
        #expect(collection.collectionViewLayout === layout && layout.collectionView === collection)
        collection.collectionViewLayout = UICollectionViewFlowLayout()
        #expect(layout.collectionView == nil && group.subitems.count == 1)
        controller.loadViewIfNeeded()
        let attributes = controller.collectionView.layoutAttributesForItem(at: IndexPath(item: 1, section: 0))
        #expect(attributes?.size == CGSize(width: 30, height: 20))
    }

    /// To look makes rows: if that were a change like any other, each look would lead to the next.
    @Test func toLookIsNoChange() {
        final class Rows: NSObject, UITableViewDataSource {
            func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 2 }
            func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
                let cell = UITableViewCell()
                cell.textLabel?.text = "row"
                return cell
            }
        }
        let (rows, table, outer) = (Rows(), UITableView(), UIViewController())
        table.dataSource = rows
        outer.view.addSubview(table)
        let first = InterfaceChanges.look { outer.describe() }
        let second = InterfaceChanges.look { outer.describe() }
        #expect(first.isNoted)
        #expect(first.view == second.view)
        #expect(first.view.all.contains { $0.title == "row" })
    }
}
