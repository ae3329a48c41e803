// GuideListing: the listing of Apple's guide in Swift, and helpers as real extensions have them, with another import.
// Source: App Extension Programming Guide, "Performing Uploads and Downloads".

import BackgroundTransfers
import Foundation

final class GuideListing {
    var configurationMySession: URLSession {
        let config = URLSessionConfiguration.background(withIdentifier: "com.mycompany.myapp.backgroundsession")
        config.sharedContainerIdentifier = "group.example"
        return URLSession(configuration: config)
    }

    func downloadTask() {
        let mySession: URLSession = self.configurationMySession
        let url = URL(string: "http://www.example.com/LargeFile.zip")
        let myTask = mySession.downloadTask(with: url!)
        myTask.resume()
    }
}

extension URLSessionConfiguration {
    class func backgroundSessionConfigurationWithRandomizedIdentifier() -> URLSessionConfiguration {
        let identifier = "group.example." + UUID().uuidString
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sharedContainerIdentifier = "group.example"
        return configuration
    }
}
