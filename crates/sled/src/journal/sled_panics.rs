//! Catches panics of sled, which a damaged database causes, without a report on the user's terminal. Hides no other panic.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::thread;

use stategraph_core::panic_message;

thread_local! {
    /// True while this thread is within [`catch_sled_panics`].
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if a panic on the current thread comes from sled: within [`catch_sled_panics`], or on one of
/// sled's own threads.
fn is_sled_panic() -> bool {
    QUIET.get() || thread::current().name().is_some_and(|name| name.starts_with("sled-"))
}

/// Runs `work` and returns its result, or the message of its panic, which is not printed. The first call
/// installs a panic hook; all other panics still reach the hook that the program had before.
pub(super) fn catch_sled_panics<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let earlier = panic::take_hook();
        panic::set_hook(Box::new(move |report| {
            if !is_sled_panic() {
                earlier(report);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(outer);
    done.map_err(|payload| format!("it panicked: {}", panic_message(payload.as_ref())))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Name of the thread of each reported panic.
    static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn only_panics_within_are_quiet_and_all_are_told() {
        let name = || thread::current().name().unwrap_or_default().to_owned();
        panic::set_hook(Box::new(move |_| REPORTED.lock().expect("no holder panics").push(name())));
        assert_eq!(catch_sled_panics(|| 7), Ok(7));
        assert_eq!(catch_sled_panics(|| -> u8 { panic!("torn") }), Err("it panicked: torn".to_owned()));
        let names = ["sled-io-1", "another"];
        for name in names {
            let thread = thread::Builder::new().name(name.to_owned()).spawn(|| panic!("on a thread"));
            assert!(thread.expect("the system has threads").join().is_err());
        }
        // Other tests of this process panic too. The lock is free before the assertion, whose own panic would wait for it.
        let reported = REPORTED.lock().expect("no holder panics").clone();
        let ours: Vec<&String> = reported.iter().filter(|name| names.contains(&name.as_str())).collect();
        assert_eq!(ours, ["another"]);
    }
}
