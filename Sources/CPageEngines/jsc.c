// exthost_jsc: JavaScriptCore by dlopen(3). Its headers are not needed: all its types are pointers here.

#include "exthost_jsc.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void *Value;

static struct {
    Value (*JSGlobalContextCreate)(void *);
    void (*JSGlobalContextRelease)(void *);
    void *(*JSStringCreateWithCharacters)(const uint16_t *, size_t);
    void *(*JSStringCreateWithUTF8CString)(const char *);
    void (*JSStringRelease)(void *);
    size_t (*JSStringGetLength)(void *);
    const uint16_t *(*JSStringGetCharactersPtr)(void *);
    Value (*JSEvaluateScript)(void *, void *, Value, void *, int, Value *);
    Value (*JSObjectCallAsFunction)(void *, Value, Value, size_t, Value const *, Value *);
    Value (*JSObjectGetProperty)(void *, Value, void *, Value *);
    bool (*JSValueIsObject)(void *, Value);
    bool (*JSValueIsString)(void *, Value);
    bool (*JSValueIsNumber)(void *, Value);
    double (*JSValueToNumber)(void *, Value, Value *);
    bool (*JSValueToBoolean)(void *, Value);
    Value (*JSValueMakeNumber)(void *, double);
    Value (*JSValueMakeString)(void *, void *);
    void *(*JSValueToStringCopy)(void *, Value, Value *);
    void (*JSValueProtect)(void *, Value);
    void (*JSValueUnprotect)(void *, Value);
} js;

#define SYMBOL(name) {#name, (void **)&js.name}
static const struct {
    const char *name;
    void **place;
} symbols[] = {
    SYMBOL(JSGlobalContextCreate),
    SYMBOL(JSGlobalContextRelease),
    SYMBOL(JSStringCreateWithCharacters),
    SYMBOL(JSStringCreateWithUTF8CString),
    SYMBOL(JSStringRelease),
    SYMBOL(JSStringGetLength),
    SYMBOL(JSStringGetCharactersPtr),
    SYMBOL(JSEvaluateScript),
    SYMBOL(JSObjectCallAsFunction),
    SYMBOL(JSObjectGetProperty),
    SYMBOL(JSValueIsObject),
    SYMBOL(JSValueIsString),
    SYMBOL(JSValueIsNumber),
    SYMBOL(JSValueToNumber),
    SYMBOL(JSValueToBoolean),
    SYMBOL(JSValueMakeNumber),
    SYMBOL(JSValueMakeString),
    SYMBOL(JSValueToStringCopy),
    SYMBOL(JSValueProtect),
    SYMBOL(JSValueUnprotect),
};

const char *exthost_jsc_load(const char *library) {
    static bool isLoaded;
    static const char *missing;
    if (isLoaded) return missing;
    isLoaded = true;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return missing = "";
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *symbols[i].place = dlsym(handle, symbols[i].name);
        if (!*symbols[i].place) return missing = symbols[i].name;
    }
    return missing;
}

void *exthost_jsc_context(void) { return js.JSGlobalContextCreate(NULL); }

void exthost_jsc_free(void *context) { js.JSGlobalContextRelease(context); }

static Value kept(void *context, Value value) {
    if (value) js.JSValueProtect(context, value);
    return value;
}

void *exthost_jsc_evaluate(void *context, const uint16_t *text, size_t count, const char *name, void **exception) {
    void *script = js.JSStringCreateWithCharacters(text, count);
    void *address = js.JSStringCreateWithUTF8CString(name);
    *exception = NULL;
    Value value = js.JSEvaluateScript(context, script, NULL, address, 1, exception);
    js.JSStringRelease(address);
    js.JSStringRelease(script);
    kept(context, *exception);
    return kept(context, value);
}

void *exthost_jsc_call(void *context, void *function, void *const *arguments, size_t count, void **exception) {
    *exception = NULL;
    Value value = js.JSObjectCallAsFunction(context, function, NULL, count, arguments, exception);
    kept(context, *exception);
    return kept(context, value);
}

void *exthost_jsc_member(void *context, void *value, const char *name) {
    if (!js.JSValueIsObject(context, value)) return NULL;
    void *key = js.JSStringCreateWithUTF8CString(name);
    Value exception = NULL;
    Value member = js.JSObjectGetProperty(context, value, key, &exception);
    js.JSStringRelease(key);
    return exception ? NULL : kept(context, member);
}

void *exthost_jsc_number(void *context, double number) { return kept(context, js.JSValueMakeNumber(context, number)); }

void *exthost_jsc_text(void *context, const uint16_t *text, size_t count) {
    void *string = js.JSStringCreateWithCharacters(text, count);
    Value value = js.JSValueMakeString(context, string);
    js.JSStringRelease(string);
    return kept(context, value);
}

double exthost_jsc_number_of(void *context, void *value) {
    return js.JSValueIsNumber(context, value) ? js.JSValueToNumber(context, value, NULL) : NAN;
}

bool exthost_jsc_is_true(void *context, void *value) { return js.JSValueToBoolean(context, value); }

bool exthost_jsc_is_text(void *context, void *value) { return js.JSValueIsString(context, value); }

uint16_t *exthost_jsc_text_of(void *context, void *value, size_t *count) {
    Value exception = NULL;
    void *string = js.JSValueToStringCopy(context, value, &exception);
    if (!string || exception) return NULL;
    *count = js.JSStringGetLength(string);
    uint16_t *copy = malloc(*count * 2 + 1);
    if (copy) memcpy(copy, js.JSStringGetCharactersPtr(string), *count * 2);
    js.JSStringRelease(string);
    return copy;
}

void exthost_jsc_drop(void *context, void *value) { js.JSValueUnprotect(context, value); }
