// BuiltInPoints: the property lists of this package's own points, which the build embeds in the program.

internal import Locks

extension PointTable {
    /// The points of all files in `Resources`, some 40 of 1 KiB.
    static var builtIn: [ExtensionPoint] { files.keys.compactMap(builtIn) }

    /// The points that were used. To read all of them took a quarter of the start of a private daemon, which uses few.
    private static let known = Mutex<[String: ExtensionPoint]>([:])

    /// Returns a point, which is read at its first use.
    static func builtIn(_ identifier: String) -> ExtensionPoint? {
        known.withLock { known in
            if let point = known[identifier] { return point }
            guard let file = files[identifier] else { return nil }
            do {
                let point = try ExtensionPoint(file: file())
                known[identifier] = point
                return point
            } catch {
                // The files are part of the program, and a test reads them all.
                fatalError("the built-in extension point \(identifier): \(error)")
            }
        }
    }

    /// The embedded files. The build makes no list of resources, so a test compares this one with the folder.
    private static let files: [String: @Sendable () -> [UInt8]] = [
        "com.apple.AudioUnit": { PackageResources.com_apple_AudioUnit_plist },
        "com.apple.AudioUnit-UI": { PackageResources.com_apple_AudioUnit_UI_plist },
        "com.apple.FinderSync": { PackageResources.com_apple_FinderSync_plist },
        "com.apple.Safari.content-blocker": { PackageResources.com_apple_Safari_content_blocker_plist },
        "com.apple.Safari.extension": { PackageResources.com_apple_Safari_extension_plist },
        "com.apple.Safari.sharedlinks-service": { PackageResources.com_apple_Safari_sharedlinks_service_plist },
        "com.apple.Safari.web-extension": { PackageResources.com_apple_Safari_web_extension_plist },
        "com.apple.app.non-ui-extension": { PackageResources.com_apple_app_non_ui_extension_plist },
        "com.apple.authentication-services-credential-provider-ui": {
            PackageResources.com_apple_authentication_services_credential_provider_ui_plist
        },
        "com.apple.broadcast-services-setupui": { PackageResources.com_apple_broadcast_services_setupui_plist },
        "com.apple.broadcast-services-upload": { PackageResources.com_apple_broadcast_services_upload_plist },
        "com.apple.callkit.call-directory": { PackageResources.com_apple_callkit_call_directory_plist },
        "com.apple.dt.Xcode.extension.source-editor": {
            PackageResources.com_apple_dt_Xcode_extension_source_editor_plist
        },
        "com.apple.fileprovider-actionsui": { PackageResources.com_apple_fileprovider_actionsui_plist },
        "com.apple.fileprovider-nonui": { PackageResources.com_apple_fileprovider_nonui_plist },
        "com.apple.fileprovider-ui": { PackageResources.com_apple_fileprovider_ui_plist },
        "com.apple.identitylookup.classification-ui": {
            PackageResources.com_apple_identitylookup_classification_ui_plist
        },
        "com.apple.identitylookup.message-filter": { PackageResources.com_apple_identitylookup_message_filter_plist },
        "com.apple.intents-service": { PackageResources.com_apple_intents_service_plist },
        "com.apple.intents-ui-service": { PackageResources.com_apple_intents_ui_service_plist },
        "com.apple.keyboard-service": { PackageResources.com_apple_keyboard_service_plist },
        "com.apple.message-payload-provider": { PackageResources.com_apple_message_payload_provider_plist },
        "com.apple.networkextension.app-proxy": { PackageResources.com_apple_networkextension_app_proxy_plist },
        "com.apple.networkextension.dns-proxy": { PackageResources.com_apple_networkextension_dns_proxy_plist },
        "com.apple.networkextension.filter-control": {
            PackageResources.com_apple_networkextension_filter_control_plist
        },
        "com.apple.networkextension.filter-data": { PackageResources.com_apple_networkextension_filter_data_plist },
        "com.apple.networkextension.packet-tunnel": {
            PackageResources.com_apple_networkextension_packet_tunnel_plist
        },
        "com.apple.photo-editing": { PackageResources.com_apple_photo_editing_plist },
        "com.apple.photo-project": { PackageResources.com_apple_photo_project_plist },
        "com.apple.quicklook.preview": { PackageResources.com_apple_quicklook_preview_plist },
        "com.apple.quicklook.thumbnail": { PackageResources.com_apple_quicklook_thumbnail_plist },
        "com.apple.services": { PackageResources.com_apple_services_plist },
        "com.apple.share-services": { PackageResources.com_apple_share_services_plist },
        "com.apple.spotlight.import": { PackageResources.com_apple_spotlight_import_plist },
        "com.apple.spotlight.index": { PackageResources.com_apple_spotlight_index_plist },
        "com.apple.ui-services": { PackageResources.com_apple_ui_services_plist },
        "com.apple.usernotifications.content-extension": {
            PackageResources.com_apple_usernotifications_content_extension_plist
        },
        "com.apple.usernotifications.service": { PackageResources.com_apple_usernotifications_service_plist },
        "com.apple.widget-extension": { PackageResources.com_apple_widget_extension_plist },
        "com.apple.widgetkit-extension": { PackageResources.com_apple_widgetkit_extension_plist },
    ]
}
