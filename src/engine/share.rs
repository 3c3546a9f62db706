//! Work on many parts of a log shared among processors: decoding is what loading a long thread spends its time with. Knows no
//! store and no state.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// What is worth another thread, in bytes of JSON; to start one costs about as much as decoding 32 KiB.
const SHARE: u64 = 256 << 10;

/// At most so many threads.
const THREADS: u64 = 4;

/// Does work on all parts, in shares of about equal length, and puts the results in the order of the parts.
pub(crate) fn shared<P: Sync, T: Send, E: Send>(
    parts: &[P],
    bytes_of: impl Fn(&P) -> u64,
    work: impl Fn(&[P]) -> Result<Vec<T>, E> + Sync,
) -> Result<Vec<T>, E> {
    let bytes: u64 = parts.iter().map(&bytes_of).sum();
    let processors = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let threads = (bytes / SHARE).clamp(1, processors.min(THREADS));
    if threads == 1 {
        return work(parts);
    }
    thread::scope(|scope| {
        let mut shares = shares(parts, bytes_of, bytes / threads + 1);
        let own = shares.next().unwrap_or_default();
        let work = &work;
        let begun = |share| {
            // Where the system gives no more threads, this one does the work.
            let other = thread::Builder::new().spawn_scoped(scope, move || work(share));
            other.map_err(|_| share)
        };
        let others: Vec<_> = shares.map(begun).collect();
        let mut done = work(own)?;
        for other in others {
            done.extend(match other {
                // A panic of the types that are decoded stays what it was.
                Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic))?,
                Err(share) => work(share)?,
            });
        }
        Ok(done)
    })
}

/// Cuts into shares of about so many bytes.
fn shares<P>(mut rest: &[P], bytes_of: impl Fn(&P) -> u64, bytes: u64) -> impl Iterator<Item = &[P]> {
    std::iter::from_fn(move || {
        let mut taken = 0;
        let full = |part: &P| {
            taken += bytes_of(part);
            taken >= bytes
        };
        let count = rest.iter().position(full).map_or(rest.len(), |last| last + 1);
        let (share, after) = rest.split_at(count);
        rest = after;
        (!share.is_empty()).then_some(share)
    })
}
