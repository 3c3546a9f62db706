//! Work on many entries shared among processors: decoding is what loading a long chain spends its time with. Knows no file.

use std::num::NonZero;
use std::thread;

use super::outline::Spot;

/// What is worth another thread, in bytes of entries; to start one costs about as much as decoding 32 KiB.
const SHARE: u64 = 256 << 10;

/// At most so many threads.
const THREADS: u64 = 4;

/// Does work on all entries, in shares of about equal length, and puts the results in the order of the entries.
pub(super) fn shared<T: Send, E: Send>(
    spots: &[&Spot],
    work: impl Fn(&[&Spot]) -> Result<Vec<T>, E> + Sync,
) -> Result<Vec<T>, E> {
    let bytes: u64 = spots.iter().map(|spot| spot.end() - spot.at).sum();
    let processors = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let threads = (bytes / SHARE).clamp(1, processors.min(THREADS));
    if threads == 1 {
        return work(spots);
    }
    thread::scope(|scope| {
        let mut shares = shares(spots, bytes / threads + 1);
        let own = shares.next().unwrap_or_default();
        let work = &work;
        let others: Vec<_> = shares.map(|share| scope.spawn(move || work(share))).collect();
        let mut done = work(own)?;
        for other in others {
            done.extend(other.join().expect("decoding does not panic")?);
        }
        Ok(done)
    })
}

/// Cuts into shares of about so many bytes.
fn shares<'s>(mut rest: &'s [&'s Spot], bytes: u64) -> impl Iterator<Item = &'s [&'s Spot]> {
    std::iter::from_fn(move || {
        let mut taken = 0;
        let full = |spot: &&Spot| {
            taken += spot.end() - spot.at;
            taken >= bytes
        };
        let count = rest.iter().position(full).map_or(rest.len(), |last| last + 1);
        let (share, after) = rest.split_at(count);
        rest = after;
        (!share.is_empty()).then_some(share)
    })
}
