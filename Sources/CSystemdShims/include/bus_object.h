/* bus_object: the daemon's bus objects: vtables whose members all call two functions. */
#pragma once
#include <systemd/sd-bus.h>

/* The callbacks of one bus object. The struct must outlive the slot. Each callback receives `context`.
 *
 * A callback returns a negative errno, or at least 0 if it has answered (sd_bus_add_object_vtable(3)). A method that
 * answers later returns 1. */
struct exthost_bus_object {
    void *context;
    /* Handles a method call. The message's member is the method's name. */
    int (*call)(void *context, sd_bus_message *message, sd_bus_error *error);
    /* Appends the property's value to `reply`. */
    int (*get)(void *context, const char *property, sd_bus_message *reply, sd_bus_error *error);
};

/* Each function adds one object with its interface. `slot` owns it. */
int exthost_bus_add_manager(sd_bus *bus, sd_bus_slot **slot, const char *path, const struct exthost_bus_object *object);
int exthost_bus_add_log_control(
    sd_bus *bus, sd_bus_slot **slot, const char *path, const struct exthost_bus_object *object);
