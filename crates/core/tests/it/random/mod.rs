//! Random graphs, run in every way: whatever the order of completion, the concurrency, the durability, the failures and the
//! append at which the process dies, there is one final state and one history, and what was live can be read again.
//! ENG-2, ENG-6, ENG-8, parity D6, D7, D16, P2, P7, clause 61.

mod compare;
mod parity;
mod shape;
mod way;
mod world;

use proptest::prelude::*;
use stategraph_core::store::MemoryStore;

use self::compare::compare;
use self::shape::shape;
use self::way::way;
use crate::cases::cases;

proptest! {
    #![proptest_config(cases(192))]

    // F12, P2
    #[test]
    fn every_way_of_running_a_graph_leads_to_one_state_by_one_history(shape in shape(), way in way()) {
        compare(&shape, &way, MemoryStore::new());
    }
}
