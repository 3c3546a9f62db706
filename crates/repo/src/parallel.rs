//! The same work for many items on all cores, in the items' order. No pool: threads live as long as the work.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Maximum number of threads for one call.
const THREADS: usize = 16;
/// Number of items below which one thread does all the work.
const FEW: usize = 8;

/// Runs `work(state, index)` for every index below `count`, on all cores. `new` makes a state for each
/// thread, and all states are returned in no particular order. A thread takes indexes in rising order; which
/// ones is random.
pub(super) fn parallel<S: Send>(
    count: usize,
    new: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return state;
            }
            work(&mut state, index);
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
    if cores == 1 || count < FEW {
        return vec![run()];
    }
    thread::scope(|scope| {
        let others: Vec<_> = (1..cores).map(|_| scope.spawn(run)).collect();
        let mut states = vec![run()];
        for other in others {
            match other.join() {
                Ok(state) => states.push(state),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        states
    })
}

/// Returns the results of `work` for every index below `count`, in the order of the indexes. Works on all
/// cores.
pub fn parallel_map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let parts =
        parallel(count, Vec::new, |made: &mut Vec<(usize, T)>, index| made.push((index, work(index))));
    let mut all: Vec<(usize, T)> = parts.into_iter().flatten().collect();
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, made)| made).collect()
}
