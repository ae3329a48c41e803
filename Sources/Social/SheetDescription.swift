// SheetDescription: a compose sheet as plain values, and its own acts: the text, Post, Cancel and the options.

package import ExtensionWire
import UIKit

extension SLComposeServiceViewController: DescribedController {
    package func describeItself() -> ViewElement {
        var sheet = ViewElement(.sheet, title: title, text: contentText)
        sheet.placeholder = placeholder
        sheet.remaining = charactersRemaining?.intValue
        sheet.isEnabled = isPostEnabled
        sheet.children = shownConfigurationItems.map { item in
            var element = ViewElement(.item, title: item.title, text: item.value)
            element.isPending = item.valuePending
            return element
        }
        sheet.children += (previewView?.describe() ?? [])
        // The author's buttons of the bar: Cancel and Post have acts of their own.
        sheet.children += ownBarItems.flatMap { $0.describe() }
        // The author's subviews: the text is part of the sheet itself.
        sheet.children += view.subviews.filter { $0 !== textView }.flatMap { $0.describe() }
        if let pushed = configurationViewController {
            var element = pushed.describe()
            element.kind = .pushed
            sheet.children.append(element)
        }
        return sheet
    }

    package func performItself(_ act: UseView) throws(ExtensionHostError) -> Bool {
        if let pushed = configurationViewController, act.action == "tap" || act.name != nil {
            try pushed.perform(act)
            return true
        }
        switch act.action {
        case "setText" where act.name == nil:
            guard textView.edit(act.text ?? "") else {
                throw ExtensionHostError(.notPermitted, "the text is not editable", remedy: "Try another text")
            }
        case "post":
            guard isPostEnabled else {
                throw ExtensionHostError(
                    .notPermitted, "Post is disabled: isContentValid() returned false",
                    remedy: "Change the text until it is valid")
            }
            didSelectPost()
        case "cancel": cancel()
        case "tap":
            if let item = shownConfigurationItems.first(where: { $0.title == act.name }) {
                item.tapHandler?()
                return true
            }
            return try navigationController?.navigationBar.tap(act.name ?? "", from: self) ?? false
        default: return false
        }
        return true
    }
}
