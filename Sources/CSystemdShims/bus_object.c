/* bus_object: the vtables of the daemon's bus objects. They also provide the introspection data, so parameters have
 * names. */

#include "bus_object.h"

#include <errno.h>

static int call(sd_bus_message *message, void *userdata, sd_bus_error *error) {
    const struct exthost_bus_object *object = userdata;
    return object->call(object->context, message, error);
}

static int get(sd_bus *bus, const char *path, const char *interface, const char *property, sd_bus_message *reply,
    void *userdata, sd_bus_error *error) {
    const struct exthost_bus_object *object = userdata;
    (void)bus, (void)path, (void)interface;
    return object->get(object->context, property, reply, error);
}

/* Never runs: the object's own handler takes Properties.Set before sd-bus reads the vtable (see LogControl.swift). A
 * setter here would have to answer at once, but the caller's rights are known only after a reply from the bus. */
static int refuse(sd_bus *bus, const char *path, const char *interface, const char *property, sd_bus_message *value,
    void *userdata, sd_bus_error *error) {
    (void)bus, (void)path, (void)interface, (void)property, (void)value, (void)userdata, (void)error;
    return -EACCES;
}

/* All methods are UNPRIVILEGED: else sd-bus would ask the bus for the caller's capabilities, with a blocking call. The
 * daemon checks access itself, by the caller's uid. */
#define OPEN SD_BUS_VTABLE_UNPRIVILEGED
#define HOST_SIGNAL(name) SD_BUS_SIGNAL_WITH_ARGS(name, SD_BUS_ARGS("t", sequence, "s", host), 0)

static const sd_bus_vtable manager_vtable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD_WITH_ARGS("ListExtensions", SD_BUS_NO_ARGS, SD_BUS_RESULT("a(sssss)", extensions), call, OPEN),
    SD_BUS_METHOD_WITH_ARGS("ListRequests", SD_BUS_NO_ARGS, SD_BUS_RESULT("a(ssss)", requests), call, OPEN),
    SD_BUS_METHOD_WITH_ARGS("ListHosts", SD_BUS_NO_ARGS, SD_BUS_RESULT("a(sust)", hosts), call, OPEN),
    SD_BUS_METHOD_WITH_ARGS("SetHostState", SD_BUS_ARGS("s", host, "s", state), SD_BUS_NO_RESULT, call, OPEN),
    SD_BUS_METHOD_WITH_ARGS("CancelRequest", SD_BUS_ARGS("s", request), SD_BUS_NO_RESULT, call, OPEN),
    HOST_SIGNAL("HostWillEnterForeground"),
    HOST_SIGNAL("HostDidEnterBackground"),
    HOST_SIGNAL("HostWillResignActive"),
    HOST_SIGNAL("HostDidBecomeActive"),
    SD_BUS_SIGNAL_WITH_ARGS("RequestStarted", SD_BUS_ARGS("s", request, "s", extension, "s", host), 0),
    SD_BUS_SIGNAL_WITH_ARGS("RequestFinished", SD_BUS_ARGS("s", request, "s", outcome, "s", cause), 0),
    SD_BUS_PROPERTY("Version", "s", get, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("ActiveRequests", "u", get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("RunningExtensions", "u", get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("Sandbox", "s", get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("Limits", "s", get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("TreeKill", "s", get, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_VTABLE_END,
};

/* org.freedesktop.LogControl1(5). */
static const sd_bus_vtable log_control_vtable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_WRITABLE_PROPERTY("LogLevel", "s", get, refuse, 0, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_WRITABLE_PROPERTY("LogTarget", "s", get, refuse, 0, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_PROPERTY("SyslogIdentifier", "s", get, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_VTABLE_END,
};

int exthost_bus_add_manager(
    sd_bus *bus, sd_bus_slot **slot, const char *path, const struct exthost_bus_object *object) {
    return sd_bus_add_object_vtable(
        bus, slot, path, "org.exthost.ExtensionHost1.Manager", manager_vtable, (void *)object);
}

int exthost_bus_add_log_control(
    sd_bus *bus, sd_bus_slot **slot, const char *path, const struct exthost_bus_object *object) {
    return sd_bus_add_object_vtable(bus, slot, path, "org.freedesktop.LogControl1", log_control_vtable, (void *)object);
}
