//! Recognizes concurrency: threads, tasks, locks, channels, runtimes.

use stategraph_repo::{Language, ParsedFile, Site, SiteKind};

use crate::calls::{imports, last, receiver};

/// Functions and constructors of Rust, by the last two segments of their names.
const RUST: &[&str] = &[
    "tokio::spawn",
    "task::spawn",
    "thread::spawn",
    "thread::scope",
    "thread::Builder",
    "task::spawn_blocking",
    "tokio::spawn_blocking",
    "Mutex::new",
    "RwLock::new",
    "Condvar::new",
    "Barrier::new",
    "Semaphore::new",
    "Notify::new",
    "JoinSet::new",
    "mpsc::channel",
    "mpsc::sync_channel",
    "mpsc::unbounded_channel",
    "oneshot::channel",
    "broadcast::channel",
    "watch::channel",
    "crossbeam_channel::unbounded",
    "crossbeam_channel::bounded",
    "flume::unbounded",
    "flume::bounded",
    "Runtime::new",
    "Builder::new_multi_thread",
    "Builder::new_current_thread",
    "rayon::join",
    "rayon::scope",
    "ThreadPoolBuilder::new",
    "AtomicBool::new",
    "AtomicUsize::new",
    "AtomicU64::new",
    "AtomicI64::new",
    "AtomicU32::new",
    "AtomicI32::new",
    "AtomicPtr::new",
    "DashMap::new",
    "async_std::task",
    "smol::spawn",
    "spawn_local",
    "task::spawn_local",
    "futures::join",
];

/// Rust macros that are concurrent.
const RUST_MACROS: &[&str] = &[
    "tokio::select",
    "tokio::join",
    "tokio::try_join",
    "futures::select",
    "futures::join",
    "thread_local",
    "select",
    "join",
    "try_join",
];

/// Python modules whose functions and classes are concurrent.
const PYTHON: &[&str] =
    &["asyncio", "threading", "multiprocessing", "anyio", "trio", "concurrent.futures", "gevent", "queue"];

/// Java types whose construction is concurrent.
const JAVA: &[&str] = &[
    "Thread",
    "ReentrantLock",
    "ReentrantReadWriteLock",
    "StampedLock",
    "ConcurrentHashMap",
    "ConcurrentLinkedQueue",
    "CopyOnWriteArrayList",
    "ConcurrentSkipListMap",
    "AtomicInteger",
    "AtomicLong",
    "AtomicBoolean",
    "AtomicReference",
    "CountDownLatch",
    "CyclicBarrier",
    "Semaphore",
    "LinkedBlockingQueue",
    "ArrayBlockingQueue",
    "ThreadPoolExecutor",
    "ForkJoinPool",
    "CompletableFuture",
    "LongAdder",
    "ThreadLocal",
    "FutureTask",
];

/// Java classes whose static methods are concurrent.
const JAVA_STATIC: &[&str] = &["Executors", "CompletableFuture", "Thread", "ForkJoinPool", "ThreadLocal"];

/// C# types whose construction is concurrent.
const CSHARP: &[&str] = &[
    "Thread",
    "SemaphoreSlim",
    "Semaphore",
    "Mutex",
    "ConcurrentDictionary",
    "ConcurrentQueue",
    "ConcurrentBag",
    "BlockingCollection",
    "CancellationTokenSource",
    "TaskCompletionSource",
    "ReaderWriterLockSlim",
    "ManualResetEvent",
    "ManualResetEventSlim",
    "AutoResetEvent",
    "ThreadLocal",
    "AsyncLocal",
    "Timer",
];

/// C++ types and functions that are concurrent.
const CPP: &[&str] = &[
    "std::thread",
    "std::jthread",
    "std::mutex",
    "std::recursive_mutex",
    "std::shared_mutex",
    "std::lock_guard",
    "std::unique_lock",
    "std::shared_lock",
    "std::scoped_lock",
    "std::atomic",
    "std::condition_variable",
    "std::async",
    "std::future",
    "std::promise",
    "std::call_once",
    "std::once_flag",
    "std::packaged_task",
    "std::atomic_bool",
    "std::atomic_int",
];

/// Returns the name of the concurrency construct (thread, task, lock, channel) that a call, macro,
/// attribute or keyword uses, such as `thread::spawn`; `None` if it uses none.
pub(super) fn construct(file: &ParsedFile, site: &Site) -> Option<String> {
    let language = file.outline.language;
    let name = last(&site.name);
    let from = receiver(&site.name);
    if site.kind == SiteKind::Keyword {
        let is_known = matches!(
            site.name.as_str(),
            "go" | "select" | "<-" | "chan" | "synchronized" | "lock" | "async" | "co_await" | "&"
        );
        return is_known.then(|| site.name.clone());
    }
    match language {
        Language::Rust => rust(file, site, name, from),
        Language::Python => python(file, site, name, from),
        Language::Go => {
            let is_sync = matches!(from, "sync" | "errgroup" | "semaphore" | "atomic");
            is_sync.then(|| if from == "atomic" { "atomic".to_owned() } else { site.name.clone() })
        }
        Language::Java => java(site, name, from),
        Language::CSharp => csharp(file, site, name, from),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(file, site, name, from),
        Language::C | Language::Cpp => match_c_call(language, site, name),
        Language::Ruby => ruby(file, site, name, from),
        Language::Php => {
            let functions = ["pcntl_fork", "Fiber", "pcntl_wait", "pcntl_waitpid", "proc_open"];
            let is_known = functions.contains(&site.name.as_str()) || from.contains("parallel\\");
            is_known.then(|| site.name.clone())
        }
        Language::Bash => (site.name == "wait").then(|| "wait".to_owned()),
    }
}

/// Returns the name of the concurrency construct that a Python call uses; `None` if it uses none. `name` is
/// the last segment of the called name, `from` the rest.
fn python(file: &ParsedFile, site: &Site, name: &str, from: &str) -> Option<String> {
    let is_module = PYTHON.contains(&from) && imports(file, &[from]) && site.kind == SiteKind::Call;
    let is_class = from.is_empty()
        && (matches!(name, "ThreadPoolExecutor" | "ProcessPoolExecutor")
            && imports(file, &["concurrent.futures"])
            || matches!(name, "Thread" | "Lock" | "RLock" | "Semaphore" | "Condition" | "Event" | "Timer")
                && imports(file, &["threading"])
            || matches!(name, "Process" | "Pool") && imports(file, &["multiprocessing"]));
    (is_module || is_class).then(|| site.name.clone())
}

/// Returns the name of the concurrency construct that a Java call or annotation uses; `None` if it uses
/// none. `name` is the last segment of the used name, `from` the rest.
fn java(site: &Site, name: &str, from: &str) -> Option<String> {
    if site.kind == SiteKind::Attribute {
        return (matches!(name, "Async" | "Scheduled" | "GuardedBy" | "ThreadSafe") && from.is_empty())
            .then(|| format!("@{name}"));
    }
    if from.is_empty() && JAVA.contains(&name) {
        return Some(name.to_owned());
    }
    let is_static = JAVA_STATIC.contains(&from)
        && !matches!(
            name,
            "currentThread" | "sleep" | "yield" | "onSpinWait" | "getName" | "interrupted" | "dumpStack"
        );
    let is_parallel = matches!(name, "parallelStream");
    (is_static || is_parallel).then(|| if is_static { site.name.clone() } else { name.to_owned() })
}

/// Returns the name of the concurrency construct that a C# call uses; `None` if it uses none. `name` is the
/// last segment of the called name, `from` the rest.
fn csharp(file: &ParsedFile, site: &Site, name: &str, from: &str) -> Option<String> {
    let is_static = matches!(
        (from, name),
        ("Task", "Run" | "WhenAll" | "WhenAny" | "Delay")
            | ("Parallel" | "Interlocked" | "Monitor" | "ThreadPool", _)
            | ("Channel", "CreateBounded" | "CreateUnbounded")
    ) || site.name == "Task.Factory.StartNew";
    let is_type = from.is_empty()
        && CSHARP.contains(&name)
        && (name != "Timer" && name != "Mutex" || imports(file, &["System.Threading"]));
    (is_static || is_type).then(|| site.name.clone())
}

/// Returns the name of the concurrency construct that a JavaScript or TypeScript call uses, such as
/// `Promise.all`; `None` if it uses none. `name` is the last segment of the called name, `from` the rest.
fn script(file: &ParsedFile, site: &Site, name: &str, from: &str) -> Option<String> {
    let is_promise = from == "Promise" && matches!(name, "all" | "race" | "allSettled" | "any");
    let is_worker = site.name == "Worker" || site.name == "SharedWorker";
    let is_cluster = site.name == "cluster.fork" && imports(file, &["cluster", "node:cluster"]);
    let is_process = imports(file, &["child_process", "node:child_process"])
        && matches!(name, "spawn" | "fork" | "exec" | "execFile")
        && matches!(from, "" | "child_process" | "childProcess" | "cp");
    (is_promise || is_worker || is_cluster || is_process || from == "Atomics").then(|| site.name.clone())
}

/// Returns the name of a C or C++ call if it is about concurrency, such as `pthread_create`; `None`
/// otherwise.
fn match_c_call(language: Language, site: &Site, name: &str) -> Option<String> {
    let is_c = name.starts_with("pthread_")
        || matches!(
            site.name.as_str(),
            "fork" | "vfork" | "thrd_create" | "mtx_lock" | "mtx_init" | "uv_queue_work"
        );
    let is_cpp = language == Language::Cpp && CPP.contains(&site.name.as_str());
    (is_c || is_cpp).then(|| site.name.clone())
}

/// Returns the name of the concurrency construct that a Ruby call uses; `None` if it uses none. `name` is
/// the last segment of the called name, `from` the rest.
fn ruby(file: &ParsedFile, site: &Site, name: &str, from: &str) -> Option<String> {
    let is_type = matches!(
        from,
        "Thread" | "Mutex" | "Queue" | "SizedQueue" | "Ractor" | "Fiber" | "Monitor" | "ConditionVariable"
    ) && matches!(name, "new" | "start" | "fork" | "schedule");
    let is_other = from.starts_with("Concurrent::")
        || matches!(site.name.as_str(), "Process.fork" | "fork" | "Async")
        || name == "synchronize" && (site.name.contains('.') || file.text.contains("MonitorMixin"));
    if name == "synchronize" && is_other {
        return Some("synchronize".to_owned());
    }
    (is_type || is_other).then(|| site.name.clone())
}

/// Returns the name of the concurrency construct that a Rust call, macro or attribute uses; `None` if it
/// uses none. `name` is the last segment of the used name, `from` the rest.
fn rust(file: &ParsedFile, site: &Site, name: &str, from: &str) -> Option<String> {
    let two = if from.is_empty() { name.to_owned() } else { format!("{}::{name}", last(from)) };
    match site.kind {
        SiteKind::Attribute => {
            let is_main = matches!(
                two.as_str(),
                "tokio::main"
                    | "async_std::main"
                    | "actix_web::main"
                    | "actix::main"
                    | "rocket::main"
                    | "async_trait::async_trait"
                    | "async_trait"
            );
            is_main.then(|| format!("#[{two}]"))
        }
        SiteKind::Macro => {
            let is_known = RUST_MACROS.contains(&two.as_str());
            let is_imported = !matches!(two.as_str(), "select" | "join" | "try_join")
                || imports(file, &["tokio", "futures", "crossbeam_channel"]);
            (is_known && is_imported).then(|| format!("{two}!"))
        }
        _ if site.name.starts_with(['.', '?']) || from.contains('.') || site.name.contains('.') => {
            let is_parallel =
                matches!(name, "par_iter" | "into_par_iter" | "par_bridge" | "par_chunks" | "par_iter_mut");
            (is_parallel && imports(file, &["rayon"])).then(|| name.to_owned())
        }
        _ => {
            // A function that is imported by its own name: `use tokio::spawn`.
            let alone = ["tokio", "tokio::task", "std::thread"];
            let is_spawn =
                two == "spawn" && alone.iter().any(|module| imports(file, &[&format!("{module}::spawn")]));
            (RUST.contains(&two.as_str()) || is_spawn).then_some(two)
        }
    }
}
