// wpe_library: the functions of GLib and of WPE WebKit, found at run time.

#ifndef WPE_LIBRARY_H
#define WPE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The types of GLib that the functions need, as their ABI has them.
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} Error;
typedef int Boolean;

// clang-format off
#define SYMBOLS(F)                                                                                                   \
    F(void, g_error_free, (Error *))                                                                                 \
    F(void *, g_bytes_new, (const void *, size_t))                                                                   \
    F(const void *, g_bytes_get_data, (void *, size_t *))                                                            \
    F(void, g_bytes_unref, (void *))                                                                                 \
    F(Boolean, g_main_context_iteration, (void *, Boolean))                                                          \
    F(unsigned, g_timeout_add, (unsigned, Boolean (*)(void *), void *))                                              \
    F(Boolean, g_source_remove, (unsigned))                                                                          \
    F(void *, g_object_new, (size_t, const char *, ...))                                                             \
    F(void *, g_object_ref, (void *))                                                                                \
    F(void, g_object_unref, (void *))                                                                                \
    F(unsigned long, g_signal_connect_data, (void *, const char *, void *, void *, void *, int))                     \
    F(unsigned, g_signal_handlers_disconnect_matched, (void *, int, unsigned, uint32_t, void *, void *, void *))      \
    F(Boolean, wpe_loader_init, (const char *))                                                                      \
    F(void, wpe_view_backend_add_activity_state, (void *, uint32_t))                                                 \
    F(void, wpe_view_backend_remove_activity_state, (void *, uint32_t))                                              \
    F(Boolean, wpe_fdo_initialize_shm, (void))                                                                       \
    F(void *, wpe_view_backend_exportable_fdo_create, (const void *, void *, uint32_t, uint32_t))                    \
    F(void, wpe_view_backend_exportable_fdo_destroy, (void *))                                                       \
    F(void *, wpe_view_backend_exportable_fdo_get_view_backend, (void *))                                            \
    F(void, wpe_view_backend_exportable_fdo_dispatch_frame_complete, (void *))                                       \
    F(void, wpe_view_backend_exportable_fdo_dispatch_release_buffer, (void *, void *))                               \
    F(void, wpe_view_backend_exportable_fdo_dispatch_release_shm_exported_buffer, (void *, void *))                  \
    F(unsigned, webkit_get_major_version, (void))                                                                    \
    F(unsigned, webkit_get_minor_version, (void))                                                                    \
    F(unsigned, webkit_get_micro_version, (void))                                                                    \
    F(void *, webkit_web_context_new_ephemeral, (void))                                                              \
    F(void *, webkit_web_context_get_website_data_manager, (void *))                                                 \
    F(void *, webkit_network_proxy_settings_new, (const char *, const char *const *))                                \
    F(void, webkit_network_proxy_settings_free, (void *))                                                            \
    F(void, webkit_website_data_manager_set_network_proxy_settings, (void *, int, void *))                           \
    F(void, webkit_website_data_manager_clear, (void *, int, int64_t, void *, void *, void *)) \
    F(Boolean, webkit_website_data_manager_clear_finish, (void *, void *, Error **)) \
    F(size_t, webkit_settings_get_type, (void))                                                                      \
    F(void *, webkit_user_content_manager_new, (void))                                                               \
    F(Boolean, webkit_user_content_manager_register_script_message_handler_in_world,                                 \
      (void *, const char *, const char *))                                                                          \
    F(void, webkit_user_content_manager_add_script, (void *, void *))                                                \
    F(void *, webkit_user_script_new, (const char *, int, int, const char *const *, const char *const *))            \
    F(void *, webkit_user_script_new_for_world,                                                                      \
      (const char *, int, int, const char *, const char *const *, const char *const *))                              \
    F(void, webkit_user_script_unref, (void *))                                                                      \
    F(void *, webkit_user_content_filter_store_new, (const char *))                                                  \
    F(void, webkit_user_content_filter_store_save, (void *, const char *, void *, void *, void *, void *))           \
    F(void *, webkit_user_content_filter_store_save_finish, (void *, void *, Error **))                              \
    F(void, webkit_user_content_filter_unref, (void *))                                                              \
    F(void, webkit_user_content_manager_add_filter, (void *, void *))                                                \
    F(void *, webkit_web_view_backend_new, (void *, void *, void *))                                                 \
    F(size_t, webkit_web_view_get_type, (void))                                                                      \
    F(void, webkit_web_view_terminate_web_process, (void *))                                                         \
    F(void, webkit_web_view_load_bytes, (void *, void *, const char *, const char *, const char *))                  \
    F(void, webkit_web_view_run_javascript_in_world, (void *, const char *, const char *, void *, void *, void *))   \
    F(void *, webkit_web_view_run_javascript_in_world_finish, (void *, void *, Error **))                            \
    F(void, webkit_web_view_run_javascript, (void *, const char *, void *, void *, void *))                          \
    F(void *, webkit_web_view_run_javascript_finish, (void *, void *, Error **))                                     \
    F(uint32_t, webkit_javascript_error_quark, (void))                                                               \
    F(void *, webkit_javascript_result_get_js_value, (void *))                                                       \
    F(void, webkit_javascript_result_unref, (void *))                                                                \
    F(Boolean, jsc_value_is_string, (void *))                                                                        \
    F(void *, jsc_value_to_string_as_bytes, (void *))                                                                \
    F(void, webkit_policy_decision_ignore, (void *))                                                                 \
    F(void, webkit_policy_decision_use, (void *))                                                                    \
    F(void *, webkit_navigation_policy_decision_get_navigation_action, (void *))                                     \
    F(void *, webkit_navigation_action_get_request, (void *))                                                        \
    F(const char *, webkit_web_view_get_uri, (void *))                                                               \
    F(const char *, webkit_uri_request_get_uri, (void *))                                                            \
    F(const char *, webkit_web_resource_get_uri, (void *))                                                           \
    F(void, webkit_permission_request_deny, (void *))                                                                \
    F(void, webkit_download_cancel, (void *))
// clang-format on

#define MEMBER(returned, name, parameters) returned(*name) parameters;
struct exthost_wpe_functions {
    SYMBOLS(MEMBER)
};
#undef MEMBER

extern struct exthost_wpe_functions exthost_wpe_functions;
#define wpe exthost_wpe_functions

/// The library of the shared-memory backend.
extern const char exthost_wpe_backend[];

/// Finds all functions. Returns the name of the library or the function that is missing, or NULL.
const char *exthost_wpe_find_functions(void);

#endif
