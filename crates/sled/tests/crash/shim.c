/* Preloaded into a process that writes a store: records, in the order they happen, every change below SHIM_ROOT and every sync.
 * A test asset; the replayer that cuts the power at some point of the record is tests/it/store/replay.rs.
 *
 * A record: op u8 | object u64 | number u64 | length u32 | bytes. Objects are inodes; an inode that is created again is new.
 *   C, D  a file, a folder is created: in folder `object`, as inode `number`, named `bytes`
 *   R     renamed within folder `object`: `bytes` are both names with a 0 between
 *   U     removed from folder `object`
 *   W     written at offset `number`      T  cut to length `number`      S  synced      F  not synced, by an error
 *
 * With SHIM_KILL_AT=n the process ends like one that is killed, right after its n-th record; with SHIM_KILL_TORN set as well and a
 * write as the n-th, after one half of that. With SHIM_FAIL_SYNC=n the n-th sync of a file, not of a folder, fails with EIO.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static const char *root;

#define REAL(result, name, ...)                                   \
    static result (*real)(__VA_ARGS__);                           \
    if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int watching(void) {
    if (!root && (root = getenv("SHIM_ROOT")))
        trace = syscall(SYS_openat, AT_FDCWD, getenv("SHIM_TRACE"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return root && trace >= 0;
}

static uint64_t records;

/* Whether the record that is made next is the last one. */
static int is_last(void) {
    static uint64_t last;
    if (!last) last = getenv("SHIM_KILL_AT") ? strtoull(getenv("SHIM_KILL_AT"), 0, 10) : UINT64_MAX;
    return records + 1 == last;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int below(const char *path) { return watching() && !strncmp(path, root, strlen(root)); }

static int watched(int fd) {
    char link[64], path[4096];
    if (!watching()) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

static void put(char op, uint64_t object, uint64_t number, const void *bytes, uint32_t length) {
    char head[21];
    head[0] = op;
    memcpy(head + 1, &object, 8);
    memcpy(head + 9, &number, 8);
    memcpy(head + 17, &length, 4);
    struct iovec parts[2] = {{head, sizeof head}, {(void *)bytes, length}};
    if (syscall(SYS_writev, trace, parts, 2) != (long)(sizeof head + length)) abort();
    if (is_last()) die();
    records++;
}

static uint64_t inode(int fd) { struct stat s; return fstat(fd, &s) ? 0 : s.st_ino; }
static uint64_t inode_of(const char *path) { struct stat s; return lstat(path, &s) ? 0 : s.st_ino; }
static const char *name_of(const char *path) { const char *slash = strrchr(path, '/'); return slash ? slash + 1 : path; }

static uint64_t folder_of(const char *path) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", (int)(name_of(path) - path), path);
    return inode_of(folder);
}

static void name(char op, const char *path, uint64_t number) { put(op, folder_of(path), number, name_of(path), strlen(name_of(path))); }

/* The path of a name relative to an open folder. */
static const char *at(int fd, const char *path, char *out, size_t size) {
    char link[64];
    if (path[0] == '/' || fd == AT_FDCWD) return path;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, out, size - 1);
    if (length < 0) return path;
    snprintf(out + length, size - length, "/%s", path);
    return out;
}

static int opened(int fd, const char *path, int flags, int existed) {
    if (fd >= 0 && (flags & O_CREAT) && !existed) name('C', path, inode(fd));
    else if (fd >= 0 && (flags & O_TRUNC)) put('T', inode(fd), 0, "", 0);
    return fd;
}

#define OPEN(symbol)                                                              \
    int symbol(const char *path, int flags, ...) {                                \
        va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); \
        REAL(int, #symbol, const char *, int, ...);                               \
        if (!below(path)) return real(path, flags, mode);                         \
        pthread_mutex_lock(&order);                                               \
        int existed = inode_of(path) != 0;                                        \
        int fd = opened(real(path, flags, mode), path, flags, existed);           \
        pthread_mutex_unlock(&order);                                             \
        return fd;                                                                \
    }
OPEN(open) OPEN(open64)

/* How much of a write is done. */
static size_t torn(size_t length) { return is_last() && getenv("SHIM_KILL_TORN") ? length / 2 : length; }

static ssize_t wrote(int fd, ssize_t done, uint64_t offset, const void *bytes) {
    if (done > 0) put('W', inode(fd), offset, bytes, done);
    return done;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    REAL(ssize_t, "write", int, const void *, size_t);
    if (!watched(fd)) return real(fd, bytes, length);
    pthread_mutex_lock(&order);
    struct stat s;
    fstat(fd, &s);
    uint64_t offset = fcntl(fd, F_GETFL) & O_APPEND ? s.st_size : lseek(fd, 0, SEEK_CUR);
    ssize_t done = wrote(fd, real(fd, bytes, torn(length)), offset, bytes);
    pthread_mutex_unlock(&order);
    return done;
}

#define PWRITE(symbol)                                                            \
    ssize_t symbol(int fd, const void *bytes, size_t length, off_t offset) {      \
        REAL(ssize_t, #symbol, int, const void *, size_t, off_t);                 \
        if (!watched(fd)) return real(fd, bytes, length, offset);                 \
        pthread_mutex_lock(&order);                                               \
        ssize_t done = wrote(fd, real(fd, bytes, length, offset), offset, bytes); \
        pthread_mutex_unlock(&order);                                             \
        return done;                                                              \
    }
PWRITE(pwrite) PWRITE(pwrite64)

/* Gathered writes would escape the record: nothing here may use them. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (watched(fd)) abort();
    return syscall(SYS_writev, fd, parts, count);
}

/* Whether the sync of this file is the one that fails. */
static int fails(int fd) {
    static uint64_t syncs;
    struct stat s;
    if (!getenv("SHIM_FAIL_SYNC") || fstat(fd, &s) || !S_ISREG(s.st_mode)) return 0;
    return ++syncs == strtoull(getenv("SHIM_FAIL_SYNC"), 0, 10);
}

#define ON_FD(symbol, op)                                                         \
    int symbol(int fd) {                                                          \
        REAL(int, #symbol, int);                                                  \
        if (!watched(fd)) return real(fd);                                        \
        pthread_mutex_lock(&order);                                               \
        int failed = 0;                                                           \
        if (fails(fd)) { put('F', inode(fd), 0, "", 0); failed = -1; errno = EIO; } \
        else if (!(failed = real(fd))) put(op, inode(fd), 0, "", 0);              \
        pthread_mutex_unlock(&order);                                             \
        return failed;                                                            \
    }
ON_FD(fsync, 'S') ON_FD(fdatasync, 'S')

#define TRUNCATE(symbol)                                                          \
    int symbol(int fd, off_t length) {                                            \
        REAL(int, #symbol, int, off_t);                                           \
        if (!watched(fd)) return real(fd, length);                                \
        pthread_mutex_lock(&order);                                               \
        int failed = real(fd, length);                                            \
        if (!failed) put('T', inode(fd), length, "", 0);                          \
        pthread_mutex_unlock(&order);                                             \
        return failed;                                                            \
    }
TRUNCATE(ftruncate) TRUNCATE(ftruncate64)

#define ON_PATH(symbol, parameters, arguments, path, on_success)                  \
    int symbol parameters {                                                       \
        static int (*real) parameters;                                            \
        if (!real) real = (int (*) parameters)dlsym(RTLD_NEXT, #symbol);          \
        char whole[4096 + 256]; (void)whole;                                      \
        if (!below(path)) return real arguments;                                  \
        pthread_mutex_lock(&order);                                               \
        int failed = real arguments;                                              \
        if (!failed) { on_success; }                                              \
        pthread_mutex_unlock(&order);                                             \
        return failed;                                                            \
    }

static void renamed(const char *from, const char *to) {
    char both[1024];
    if (folder_of(from) != folder_of(to)) abort();
    int length = snprintf(both, sizeof both, "%s%c%s", name_of(from), 0, name_of(to));
    put('R', folder_of(to), 0, both, length);
}

ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode), path, name('D', path, inode_of(path)))
ON_PATH(unlink, (const char *path), (path), path, name('U', path, 0))
ON_PATH(rmdir, (const char *path), (path), path, name('U', path, 0))
ON_PATH(unlinkat, (int fd, const char *path, int flags), (fd, path, flags), at(fd, path, whole, sizeof whole),
        name('U', at(fd, path, whole, sizeof whole), 0))
ON_PATH(rename, (const char *from, const char *to), (from, to), from, renamed(from, to))
