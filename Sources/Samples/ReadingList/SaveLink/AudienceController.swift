// AudienceController: the list from which a person chooses who may read a link.

import UIKit

enum Audience: CaseIterable {
    case everybody, friends

    var title: String {
        switch self {
        case .everybody: "Everybody"
        case .friends: "Friends"
        }
    }
}

final class AudienceController: UIViewController, UITableViewDataSource, UITableViewDelegate {
    var onChoice: ((Audience) -> Void)?

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Readers"
        let table = UITableView(frame: view.bounds, style: .plain)
        table.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        table.register(UITableViewCell.self, forCellReuseIdentifier: "audience")
        table.dataSource = self
        table.delegate = self
        view.addSubview(table)
    }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { Audience.allCases.count }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "audience", for: indexPath)
        cell.textLabel?.text = Audience.allCases[indexPath.row].title
        return cell
    }

    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        onChoice?(Audience.allCases[indexPath.row])
    }
}
