// ComposeSheetTests: the calls of a compose sheet, and what its members say, without a request.

import Foundation
import MobileCoreServices
import Social
import Testing
import UniformTypeIdentifiers

@MainActor private final class Sheet: SLComposeServiceViewController {
    var calls: [String] = []
    var isPublic = false

    override func presentationAnimationDidFinish() { calls.append("presented") }
    override func isContentValid() -> Bool {
        calls.append("valid?")
        charactersRemaining = NSNumber(value: 5 - contentText.count)
        return charactersRemaining.intValue >= 0
    }
    override func configurationItems() -> [Any]! {
        calls.append("items?")
        let item = SLComposeSheetConfigurationItem()!
        item.title = "Public"
        item.value = isPublic ? "yes" : "no"
        item.tapHandler = { [weak self] in
            self?.isPublic.toggle()
            self?.reloadConfigurationItems()
        }
        return isPublic ? [item, SLComposeSheetConfigurationItem()!] : [item]
    }
}

@MainActor @Suite struct ComposeSheetTests {
    // spec: P-421, P-424, P-429, P-435
    @Test func everyEditAsksWhetherItCanBePosted() {
        let sheet = Sheet()
        UIViewController().present(sheet, animated: false)
        #expect(sheet.calls == ["presented", "valid?", "items?"])
        #expect(sheet.isPostEnabled && sheet.charactersRemaining == 5)
        sheet.textView.edit("too long")
        #expect(sheet.calls.last == "valid?" && !sheet.isPostEnabled && sheet.charactersRemaining == -3)
        sheet.textView.edit("short")
        #expect(sheet.isPostEnabled && sheet.contentText == "short")
    }

    // spec: P-422, P-431
    @Test func aTapChangesTheItems() throws {
        let sheet = Sheet()
        UIViewController().present(sheet, animated: false)
        let item = try #require(sheet.shownConfigurationItems.first)
        #expect(item.title == "Public" && item.value == "no" && !item.valuePending)
        item.tapHandler()
        #expect(sheet.shownConfigurationItems.map(\.value) == ["yes", nil])
    }

    // spec: P-425, P-433
    @Test func oneConfigurationControllerIsPushedAtATime() {
        let sheet = Sheet()
        UIViewController().present(sheet, animated: false)
        let (first, second) = (UIViewController(), UIViewController())
        sheet.pushConfigurationViewController(first)
        sheet.pushConfigurationViewController(second)
        #expect(sheet.configurationViewController === first && first.parent === sheet && second.parent == nil)
        sheet.popConfigurationViewController()
        #expect(sheet.configurationViewController == nil && first.parent == nil)
    }

    @Test func theOldNamesOfTypesNameTypes() {
        #expect(kUTTypePropertyList as String == UTType.propertyList.identifier)
        for name in [kUTTypeURL, kUTTypeImage, kUTTypePDF, kUTTypeQuickTimeMovie, kUTTypeVCard, kUTTypeFolder] {
            #expect(UTType(name) != nil, "\(name)")
        }
    }

    // spec: P-434, P-436
    @Test func whatIsShownBesideTheTextIsKeptAndNilIsNothing() {
        let bare = SLComposeServiceViewController()
        UIViewController().present(bare, animated: false)
        #expect(bare.previewView == nil && bare.autoCompletionViewController == nil && bare.charactersRemaining == nil)
        let completion = UIViewController()
        bare.autoCompletionViewController = completion
        #expect(bare.autoCompletionViewController === completion)
    }

    @Test func itsBarNamesPostAndPushesOptions() throws {
        let sheet = Sheet()
        sheet.present()
        let stack = try #require(sheet.navigationController)
        #expect(stack.viewControllers.first === sheet && stack.navigationBar.topItem === sheet.navigationItem)
        #expect(sheet.describe().children.allSatisfy { $0.kind == .item })
        stack.navigationBar.topItem?.rightBarButtonItem?.title = "Save"
        #expect(sheet.describe().children.map(\.title).contains("Save"))
        let option = UIViewController()
        stack.pushViewController(option, animated: true)
        #expect(sheet.configurationViewController === option && option.navigationController != nil)
        #expect(stack.popViewController(animated: true) === option && sheet.configurationViewController == nil)
        sheet.textView.edit("too long")
        #expect(sheet.navigationItem.rightBarButtonItem?.isEnabled == false)
    }
}
