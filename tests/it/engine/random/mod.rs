//! Random graphs, run in every way: whatever the order of completion, the concurrency, the durability, the failures and the
//! append at which the process dies, there is one final state and one history, and what was live can be read again.
//! ENG-2, ENG-6, ENG-8, parity D6, D7, D16, P2, P7, clause 61.

mod joins;
mod shape;
mod way;
mod world;

use proptest::prelude::*;
use stategraph::engine::{CheckpointStore, Durability};
use stategraph::store::MemoryStore;

use self::shape::{Shape, shape};
use self::way::{STRAIGHT, Way, ran, way};
use crate::support::cases::cases;

/// Runs a graph both ways, the second one on this store.
fn compare<S: CheckpointStore + Clone>(shape: &Shape, way: &Way, store: S) {
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

proptest! {
    #![proptest_config(cases(192))]

    // F12, P2
    #[test]
    fn every_way_of_running_a_graph_leads_to_one_state_by_one_history(shape in shape(), way in way()) {
        compare(&shape, &way, MemoryStore::new());
    }
}

#[cfg(feature = "sled")]
proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn so_does_every_way_on_the_disk(shape in shape(), way in way()) {
        let folder = tempfile::tempdir().unwrap();
        // Every entry is indexed, so that the index is part of what is proved.
        let store = stategraph::store::SledStore::open_indexed_from(folder.path(), 0).unwrap();
        compare(&shape, &way, store);
    }
}
