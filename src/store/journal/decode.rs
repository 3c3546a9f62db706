//! Many payloads into checkpoints, on several processors: what a load of a long chain spends its time with. Pure.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use super::frame::{self, Unreadable};
use crate::engine::{Checkpoint, Seq};

/// What is worth another thread, in bytes; a thread costs about as much as reading 32 KiB.
const SHARE: usize = 256 << 10;

/// At most so many threads.
const THREADS: usize = 4;

/// The payload of the checkpoint at a position.
pub(super) type Payload = (Seq, Vec<u8>);

/// Decodes in order. Fails with the first position that cannot be read.
pub(super) fn checkpoints(payloads: &[Payload]) -> Result<Vec<Arc<Checkpoint>>, (Seq, Unreadable)> {
    let bytes: usize = payloads.iter().map(|(_, payload)| payload.len()).sum();
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = (bytes / SHARE).clamp(1, processors.min(THREADS));
    if threads == 1 {
        return some(payloads);
    }
    thread::scope(|scope| {
        let shares: Vec<_> =
            shares(payloads, bytes / threads + 1).map(|share| scope.spawn(move || some(share))).collect();
        let mut decoded = Vec::with_capacity(payloads.len());
        for share in shares {
            decoded.extend(share.join().expect("decoding does not panic")?);
        }
        Ok(decoded)
    })
}

fn some(payloads: &[Payload]) -> Result<Vec<Arc<Checkpoint>>, (Seq, Unreadable)> {
    let one = |(seq, payload): &Payload| frame::checkpoint(payload, *seq).map_err(|error| (*seq, error));
    payloads.iter().map(one).collect()
}

/// Cuts into shares of about so many bytes.
fn shares(mut rest: &[Payload], bytes: usize) -> impl Iterator<Item = &[Payload]> {
    std::iter::from_fn(move || {
        let mut taken = 0;
        let full = |(_, payload): &Payload| {
            taken += payload.len();
            taken >= bytes
        };
        let count = rest.iter().position(full).map_or(rest.len(), |last| last + 1);
        let (share, after) = rest.split_at(count);
        rest = after;
        (!share.is_empty()).then_some(share)
    })
}
