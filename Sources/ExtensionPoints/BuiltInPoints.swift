// BuiltInPoints: the property lists of this package's own points, which the build embeds in the program.

extension PointTable {
    /// The points of all files in `Resources`, some 40 of 1 KiB. They are read once, at the first use.
    static let builtIn: [ExtensionPoint] = files.map { bytes in
        do {
            return try ExtensionPoint(file: bytes)
        } catch {
            // The files are part of the program, and a test reads them all.
            fatalError("a built-in extension point: \(error)")
        }
    }

    /// The embedded files. The build makes no list of resources, so a test compares this one with the folder.
    static var files: [[UInt8]] {
        [
            PackageResources.com_apple_AudioUnit_plist,
            PackageResources.com_apple_AudioUnit_UI_plist,
            PackageResources.com_apple_FinderSync_plist,
            PackageResources.com_apple_Safari_content_blocker_plist,
            PackageResources.com_apple_Safari_extension_plist,
            PackageResources.com_apple_Safari_sharedlinks_service_plist,
            PackageResources.com_apple_Safari_web_extension_plist,
            PackageResources.com_apple_app_non_ui_extension_plist,
            PackageResources.com_apple_authentication_services_credential_provider_ui_plist,
            PackageResources.com_apple_broadcast_services_setupui_plist,
            PackageResources.com_apple_broadcast_services_upload_plist,
            PackageResources.com_apple_callkit_call_directory_plist,
            PackageResources.com_apple_dt_Xcode_extension_source_editor_plist,
            PackageResources.com_apple_fileprovider_actionsui_plist,
            PackageResources.com_apple_fileprovider_nonui_plist,
            PackageResources.com_apple_fileprovider_ui_plist,
            PackageResources.com_apple_identitylookup_classification_ui_plist,
            PackageResources.com_apple_identitylookup_message_filter_plist,
            PackageResources.com_apple_intents_service_plist,
            PackageResources.com_apple_intents_ui_service_plist,
            PackageResources.com_apple_keyboard_service_plist,
            PackageResources.com_apple_message_payload_provider_plist,
            PackageResources.com_apple_networkextension_app_proxy_plist,
            PackageResources.com_apple_networkextension_dns_proxy_plist,
            PackageResources.com_apple_networkextension_filter_control_plist,
            PackageResources.com_apple_networkextension_filter_data_plist,
            PackageResources.com_apple_networkextension_packet_tunnel_plist,
            PackageResources.com_apple_photo_editing_plist,
            PackageResources.com_apple_photo_project_plist,
            PackageResources.com_apple_quicklook_preview_plist,
            PackageResources.com_apple_quicklook_thumbnail_plist,
            PackageResources.com_apple_services_plist,
            PackageResources.com_apple_share_services_plist,
            PackageResources.com_apple_spotlight_import_plist,
            PackageResources.com_apple_spotlight_index_plist,
            PackageResources.com_apple_ui_services_plist,
            PackageResources.com_apple_usernotifications_content_extension_plist,
            PackageResources.com_apple_usernotifications_service_plist,
            PackageResources.com_apple_widget_extension_plist,
            PackageResources.com_apple_widgetkit_extension_plist,
        ]
    }
}
