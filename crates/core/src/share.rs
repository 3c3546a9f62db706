//! Work on many parts of a log shared among processors: decoding is what loading a long thread spends its time with. Knows no
//! store and no state.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How much a thread takes at a time, in bytes: small, so that all have done at the same time even where bytes are no measure of
/// the work, as of one long text beside many short ones.
const SHARE: u64 = 64 << 10;

/// From so many shares for each on, another thread is worth its start.
const SHARES: usize = 4;

/// At most so many threads.
const THREADS: usize = 4;

/// How many processors there are. The system takes some 20 µs to say it.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));

/// Does work on all parts, in shares of about equal length, and puts the results in the order of the parts.
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
                // Nobody needs the shares behind. Those before it have been taken, so that the first error is found.
                taken.store(shares.len(), Ordering::Relaxed);
            }
            done.push((at, result));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        // Where the system gives no more threads, this one does the work.
        let others: Vec<_> =
            (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, take).ok()).collect();
        let mut done = take();
        for other in others {
            // A panic of the types that are decoded stays what it was.
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

/// Cuts into shares.
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
