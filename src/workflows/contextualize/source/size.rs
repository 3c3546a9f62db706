//! The size of a folder that grows: the limit of a clone (CTX-145).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes that each file and folder counts at least, because many empty files fill a disk too.
pub(super) const ENTRY_BYTES: u64 = 1_024;

/// Shortest time between two measurements.
const PAUSE: Duration = Duration::from_millis(100);
/// A measurement waits this many times its duration before the next one, so that large clones are not slowed
/// down.
const SHARE: u32 = 10;

/// Measures a folder again and again, and returns as soon as it is larger than `limit` bytes.
pub(super) async fn wait_until_larger(folder: PathBuf, limit: u64) {
    loop {
        let started = Instant::now();
        let measured = folder.clone();
        let size = tokio::task::spawn_blocking(move || measure(&measured, limit)).await;
        if size.is_ok_and(|size| size > limit) {
            return;
        }
        tokio::time::sleep((started.elapsed() * SHARE).max(PAUSE)).await;
    }
}

/// Returns the size of all files below a folder, in bytes; each file and folder counts at least 1 KiB. Stops
/// above `limit`.
pub(super) fn measure(folder: &Path, limit: u64) -> u64 {
    let mut open = vec![folder.to_owned()];
    let mut size = 0_u64;
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            let Ok(found) = entry.metadata() else { continue };
            size = size.saturating_add(found.len().max(ENTRY_BYTES));
            if size > limit {
                return size;
            }
            if found.is_dir() {
                open.push(entry.path());
            }
        }
    }
    size
}
