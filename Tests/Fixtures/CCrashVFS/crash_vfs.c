// crash_vfs: a shim over the default file system (https://www.sqlite.org/vfs.html). It counts steps, records unsynced
// changes, and kills.

#include "crash_vfs.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The bytes that a write replaced, to undo the write.
struct undo {
    struct undo *next;
    struct shim_file *file;
    sqlite3_int64 offset, size;
    int count;
    char bytes[];
};

struct shim_file {
    sqlite3_file base;
    sqlite3_file *real;
};

static sqlite3_vfs *real_vfs, shim;
static struct undo *undone;
static long steps, deadline;
static int takes_back;

static void die(void) {
    if (takes_back) {
        // The newest write is undone first, so each file returns to its state at its last sync.
        for (struct undo *u = undone; u; u = u->next) {
            sqlite3_file *f = u->file->real;
            if (u->count) f->pMethods->xWrite(f, u->bytes, u->count, u->offset);
            f->pMethods->xTruncate(f, u->size);
        }
    }
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void step(void) {
    if (++steps == deadline) die();
}

/// Records the bytes from `offset` on before they change.
static void note(struct shim_file *file, sqlite3_int64 offset, int count) {
    sqlite3_file *f = file->real;
    struct undo *u = calloc(1, sizeof *u + (size_t)count);
    u->file = file;
    u->offset = offset;
    f->pMethods->xFileSize(f, &u->size);
    if (offset < u->size) {
        u->count = offset + count <= u->size ? count : (int)(u->size - offset);
        f->pMethods->xRead(f, u->bytes, u->count, offset);
    }
    u->next = undone;
    undone = u;
}

static void forget(struct shim_file *file) {
    for (struct undo **place = &undone; *place;) {
        struct undo *u = *place;
        if (u->file == file) {
            *place = u->next;
            free(u);
        } else {
            place = &u->next;
        }
    }
}

#define REAL(f) (((struct shim_file *)(f))->real)

static int shim_close(sqlite3_file *f) {
    forget((struct shim_file *)f);
    return REAL(f)->pMethods->xClose(REAL(f));
}
static int shim_read(sqlite3_file *f, void *b, int n, sqlite3_int64 o) {
    return REAL(f)->pMethods->xRead(REAL(f), b, n, o);
}
static int shim_write(sqlite3_file *f, const void *b, int n, sqlite3_int64 o) {
    step();
    note((struct shim_file *)f, o, n);
    int code = REAL(f)->pMethods->xWrite(REAL(f), b, n, o);
    step();
    return code;
}
static int shim_truncate(sqlite3_file *f, sqlite3_int64 n) {
    step();
    sqlite3_int64 size = 0;
    REAL(f)->pMethods->xFileSize(REAL(f), &size);
    if (n < size) note((struct shim_file *)f, n, (int)(size - n));
    int code = REAL(f)->pMethods->xTruncate(REAL(f), n);
    step();
    return code;
}
static int shim_sync(sqlite3_file *f, int flags) {
    step();
    int code = REAL(f)->pMethods->xSync(REAL(f), flags);
    forget((struct shim_file *)f);
    step();
    return code;
}
static int shim_size(sqlite3_file *f, sqlite3_int64 *n) { return REAL(f)->pMethods->xFileSize(REAL(f), n); }
static int shim_lock(sqlite3_file *f, int l) { return REAL(f)->pMethods->xLock(REAL(f), l); }
static int shim_unlock(sqlite3_file *f, int l) { return REAL(f)->pMethods->xUnlock(REAL(f), l); }
static int shim_reserved(sqlite3_file *f, int *r) { return REAL(f)->pMethods->xCheckReservedLock(REAL(f), r); }
static int shim_control(sqlite3_file *f, int op, void *a) { return REAL(f)->pMethods->xFileControl(REAL(f), op, a); }
static int shim_sector(sqlite3_file *f) { return REAL(f)->pMethods->xSectorSize(REAL(f)); }
static int shim_traits(sqlite3_file *f) { return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f)); }
// These methods are of version 2, for write-ahead logs. Without shared memory version 1 would suffice: under an
// exclusive lock, SQLite never calls these.
static int shim_map(sqlite3_file *f, int p, int n, int e, void volatile **m) {
    return REAL(f)->pMethods->xShmMap(REAL(f), p, n, e, m);
}
static int shim_shm_lock(sqlite3_file *f, int o, int n, int l) { return REAL(f)->pMethods->xShmLock(REAL(f), o, n, l); }
static void shim_barrier(sqlite3_file *f) { REAL(f)->pMethods->xShmBarrier(REAL(f)); }
static int shim_unmap(sqlite3_file *f, int d) { return REAL(f)->pMethods->xShmUnmap(REAL(f), d); }

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_traits,
    .xShmMap = shim_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_barrier,
    .xShmUnmap = shim_unmap,
};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out) {
    (void)vfs;
    struct shim_file *file = (struct shim_file *)f;
    file->real = (sqlite3_file *)(file + 1);
    int code = real_vfs->xOpen(real_vfs, name, file->real, flags, out);
    file->base.pMethods = code == SQLITE_OK ? &methods : NULL;
    return code;
}

static int shim_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    (void)vfs;
    step();
    int code = real_vfs->xDelete(real_vfs, name, sync);
    step();
    return code;
}

int crash_vfs_install(long at, int loses) {
    deadline = at;
    takes_back = loses;
    real_vfs = sqlite3_vfs_find(NULL);
    shim = *real_vfs;
    shim.pNext = NULL;
    shim.zName = "crash";
    shim.szOsFile = (int)sizeof(struct shim_file) + real_vfs->szOsFile;
    shim.xOpen = shim_open;
    shim.xDelete = shim_delete;
    return sqlite3_vfs_register(&shim, 1);
}

long crash_vfs_steps(void) { return steps; }
