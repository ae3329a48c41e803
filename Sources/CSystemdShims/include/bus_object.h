/* The objects that the daemon shows on the bus: their vtables, with all members handed to three functions. */
#pragma once
#include <systemd/sd-bus.h>

/* Answers for one object. `context` is handed to each function; the struct must outlive the slot. Each returns as the
 * callbacks of sd_bus_add_object_vtable(3) do: negative errno, or at least 0 when the answer was given (a method that
 * answers later returns 1). */
struct exthost_bus_object {
    void *context;
    /* A method; its name is the message's member. */
    int (*call)(void *context, sd_bus_message *message, sd_bus_error *error);
    /* Appends the property's value to `reply`. */
    int (*get)(void *context, const char *property, sd_bus_message *reply, sd_bus_error *error);
};

/* Each adds one object with its interface; `slot` holds it. */
int exthost_bus_add_manager(sd_bus *bus, sd_bus_slot **slot, const char *path, const struct exthost_bus_object *object);
int exthost_bus_add_log_control(
    sd_bus *bus, sd_bus_slot **slot, const char *path, const struct exthost_bus_object *object);
