//! Compares two ways of running one random graph. The tests of the durable store use it, too.

use stategraph_core::store::MemoryStore;
use stategraph_core::{CheckpointStore, Durability};

use super::shape::Shape;
use super::way::{STRAIGHT, Way, ran};

/// Runs a graph both ways, the second one on this store.
pub(crate) fn compare<S: CheckpointStore + Clone>(shape: &Shape, way: &Way, store: S) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let straight = ran(shape, &STRAIGHT, None, MemoryStore::new()).await;
        let other = ran(shape, way, Some(way.seed), store).await;
        assert_eq!(other.end, straight.end);
        if way.durability == Durability::Exit {
            let mut all = straight.saved.iter();
            assert!(other.saved.iter().all(|saved| all.any(|state| state == saved)), "{:?}", other.saved);
        } else {
            assert_eq!(other.saved, straight.saved);
        }
        // Where nothing is kept before the end, what was done before the process died is done again.
        let may_repeat = way.dies() && way.durability == Durability::Exit;
        assert!(may_repeat || other.repeated == 0, "{} effects happened twice", other.repeated);
    });
}
