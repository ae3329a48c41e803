// DrawnViewController: a widget that a storyboard describes (Tests/Fixtures/DrawnWidget).

import ExtensionFoundation
import NotificationCenter
import UIKit

final class DrawnViewController: UIViewController, NCWidgetProviding {
    var label: UILabel!
    private var count = 0

    override func viewDidLoad() {
        super.viewDidLoad()
        print("viewDidLoad \(label?.text ?? "")")
        extensionContext?.widgetLargestAvailableDisplayMode = .expanded
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        print("width \(Int(view.frame.width))")
    }

    func increase() {
        count += 1
        label.text = "\(count) taps"
    }

    func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void) {
        label.text = "updated"
        completionHandler(.newData)
    }
}

/// The code that the source step writes for an author's `@IBOutlet` and `@IBAction`.
final class __Methods_DrawnViewController: _MethodTable {
    static var methods: [_Method] {
        [
            _Method("setLabel:") { target, arguments in
                (target as? DrawnViewController)?.label = arguments[0, UILabel?.self]
            },
            _Method("count:") { target, _ in (target as? DrawnViewController)?.increase() },
        ]
    }
}
