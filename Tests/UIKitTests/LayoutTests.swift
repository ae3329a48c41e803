// LayoutTests: constraints are kept by the view that would hold them, and formats are read or refused.

import Foundation
import Testing

@testable import UIKit

@MainActor @Suite struct LayoutTests {
    let outer = UIView()
    let left = UIView()
    let right = UILabel()

    init() {
        outer.addSubview(left)
        left.addSubview(right)
    }

    @Test func anActiveConstraintIsHeldByTheNearestViewOfBoth() {
        let beside = UIView()
        outer.addSubview(beside)
        let edge = beside.leadingAnchor.constraint(equalTo: right.trailingAnchor, constant: 8)
        let width = right.widthAnchor.constraint(greaterThanOrEqualToConstant: 44)
        #expect(!edge.isActive && outer.constraints.isEmpty)
        NSLayoutConstraint.activate([edge, width])
        #expect(outer.constraints == [edge] && right.constraints == [width] && left.constraints.isEmpty)
        #expect(edge.firstItem === beside && edge.firstAttribute == .leading && edge.secondAttribute == .trailing)
        #expect(width.relation == .greaterThanOrEqual && width.secondItem == nil && width.constant == 44)
        edge.isActive = false
        #expect(outer.constraints.isEmpty && !edge.isActive)
    }

    @Test func aGuideCountsAsItsView() {
        let top = right.topAnchor.constraint(
            equalToSystemSpacingBelow: outer.safeAreaLayoutGuide.topAnchor, multiplier: 2)
        top.priority = .defaultHigh
        top.isActive = true
        #expect(outer.constraints == [top] && top.constant == 16 && top.priority.rawValue == 750)
        #expect(outer.safeAreaLayoutGuide === outer.safeAreaLayoutGuide)
        #expect(outer.layoutMarginsGuide.owningView === outer)
    }

    @Test func viewsWithoutACommonAncestorHaveNoActiveConstraint() {
        let stranger = UIView()
        let constraint = stranger.widthAnchor.constraint(equalTo: outer.widthAnchor, multiplier: 0.5)
        constraint.isActive = true
        #expect(!constraint.isActive && constraint.multiplier == 0.5)
    }

    @Test func aViewThatLeavesTakesItsConstraintsAlong() {
        let inside = right.heightAnchor.constraint(equalToConstant: 1)
        let across = right.topAnchor.constraint(equalTo: outer.topAnchor)
        NSLayoutConstraint.activate([inside, across])
        left.removeFromSuperview()
        #expect(!across.isActive && inside.isActive)
    }

    @Test func anInitializerTakesEveryPart() {
        let constraint = NSLayoutConstraint(
            item: left, attribute: .width, relatedBy: .lessThanOrEqual, toItem: outer, attribute: .height,
            multiplier: 2,
            constant: -3)
        outer.addConstraints([constraint])
        #expect(constraint.isActive && constraint.multiplier == 2 && constraint.relation == .lessThanOrEqual)
        outer.removeConstraints(outer.constraints)
        #expect(!constraint.isActive)
    }

    private func read(
        _ format: String, _ options: NSLayoutConstraint.FormatOptions = []
    ) throws -> [NSLayoutConstraint] {
        try VisualFormat.constraints(format, options, ["gap": 12, "most": 800], ["left": left, "right": right])
    }

    @Test func aFormatMakesAConstraintOfEachPiece() throws {
        let all = try read("H:|-gap-[left(>=30,<=50@most)]-[right(==left)]-|", .alignAllTop)
        #expect(all.map(\.constant) == [30, 50, 12, 0, 8, 0, 20])
        #expect(all.map(\.relation) == [.greaterThanOrEqual, .lessThanOrEqual] + Array(repeating: .equal, count: 5))
        #expect(all[1].priority.rawValue == 800)
        #expect(all[2].firstAttribute == .leading && all[2].secondItem === outer)
        #expect(all[3].firstAttribute == .width && all[3].secondItem === left)
        #expect(all[5].firstAttribute == .top && all[5].firstItem === left && all[5].secondItem === right)
        #expect(all[6].firstItem === left && all[6].secondItem === right && all[6].firstAttribute == .trailing)
    }

    @Test func aVerticalFormatAndDistancesWithPriorities() throws {
        let all = try read("V:|[left]-(>=5,<=10@250)-[right]")
        #expect(all.map(\.constant) == [0, 5, 10] && all[0].firstAttribute == .top && all[2].priority == .defaultLow)
        #expect(try read("[left(-2.5)]").map(\.constant) == [-2.5])
    }

    @Test(arguments: [
        "", "[left", "[middle]", "|-[left]-", "[left]-nothing-[right]", "X:[left]", "[left]|x", "[left(=3)]", "|",
    ])
    func nonsenseIsRefused(_ format: String) {
        #expect(throws: VisualFormatError.self) { try read(format) }
    }

    @Test func aRefusalPointsAtThePlace() throws {
        let error = try #require(throws: VisualFormatError.self) { try read("|-[middle]") }
        #expect(error.offset == 9 && error.description.hasSuffix("|-[middle]\n         ^"))
    }

    @Test func aStackHoldsWhatItArranges() {
        let stack = UIStackView(arrangedSubviews: [left])
        stack.insertArrangedSubview(right, at: 0)
        #expect(stack.arrangedSubviews == [right, left] && stack.subviews == [left, right] && outer.subviews.isEmpty)
        left.removeFromSuperview()
        stack.removeArrangedSubview(right)
        #expect(stack.arrangedSubviews.isEmpty && stack.subviews == [right])
    }

    @Test func constraintsAreUpdatedWhereTheyNeedIt() {
        final class Counting: UIView {
            var updates = 0
            override func updateConstraints() {
                updates += 1
                super.updateConstraints()
            }
        }
        let view = Counting()
        view.setNeedsUpdateConstraints()
        view.layoutIfNeeded()
        view.layoutIfNeeded()
        #expect(view.updates == 1 && !view.needsUpdateConstraints())
    }
}
