//! Decodes the parts of a log on several threads, because decoding takes most of the time of loading a long thread. Knows no store and no
//! state.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Length of the share that a thread takes at a time, in bytes. Small, so that all threads end at the same time even where the work does not
/// depend on the length, as with one long text beside many short ones.
const SHARE: u64 = 64 << 10;

/// Minimum number of shares for each thread; with fewer, the start of a thread costs more than it saves.
const SHARES: usize = 4;

/// Maximum number of threads.
const THREADS: usize = 4;

/// Number of processors. Kept, because the system takes about 20 µs to return it.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));

/// Calls `work` on consecutive slices of `parts`, on up to four threads, and returns the results in the order
/// of the parts. `bytes_of` returns the length of a part; the slices have about equal lengths. Few or short
/// parts are done by the calling thread in one call. Fails with the error of the first part that fails.
pub fn shared<P: Sync, T: Send, E: Send>(
    parts: &[P],
    bytes_of: impl Fn(&P) -> u64,
    work: impl Fn(&[P]) -> Result<Vec<T>, E> + Sync,
) -> Result<Vec<T>, E> {
    let shares: Vec<&[P]> = shares(parts, bytes_of).collect();
    let threads = (shares.len() / SHARES).min(*PROCESSORS).clamp(1, THREADS);
    if threads == 1 {
        return work(parts);
    }
    let taken = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        while let at = taken.fetch_add(1, Ordering::Relaxed)
            && let Some(share) = shares.get(at)
        {
            let result = work(share);
            if result.is_err() {
                // The later shares are not needed. The earlier ones have been taken, so the first error is found.
                taken.store(shares.len(), Ordering::Relaxed);
            }
            done.push((at, result));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        // This thread works too, and does all of it where the system starts no more threads.
        let others: Vec<_> =
            (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, take).ok()).collect();
        let mut done = take();
        for other in others {
            // A panic in the code of a decoded type reaches the caller unchanged.
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    let mut all = Vec::with_capacity(parts.len());
    for (_, result) in done {
        all.extend(result?);
    }
    Ok(all)
}

/// Cuts the parts into consecutive slices of at least [`SHARE`] bytes; the last may be shorter.
fn shares<P>(mut rest: &[P], bytes_of: impl Fn(&P) -> u64) -> impl Iterator<Item = &[P]> {
    std::iter::from_fn(move || {
        let mut taken = 0;
        let full = |part: &P| {
            taken += bytes_of(part);
            taken >= SHARE
        };
        let count = rest.iter().position(full).map_or(rest.len(), |last| last + 1);
        let (share, after) = rest.split_at(count);
        rest = after;
        (!share.is_empty()).then_some(share)
    })
}
