//! Random graphs, run in every way on the disk. ENG-2, ENG-6, ENG-8.

#[path = "../../../../../core/tests/it/random/compare.rs"]
mod compare;
#[path = "../../../../../core/tests/it/random/shape.rs"]
mod shape;
#[path = "../../../../../core/tests/it/random/way.rs"]
mod way;
#[path = "../../../../../core/tests/it/random/world.rs"]
mod world;

use proptest::prelude::*;
use stategraph_testing::cases;

use self::compare::compare;
use self::shape::shape;
use self::way::way;

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn so_does_every_way_on_the_disk(shape in shape(), way in way()) {
        let folder = tempfile::tempdir().unwrap();
        // Every entry is indexed, so that the index is part of what is proved.
        let store = stategraph_sled::SledStore::open_indexed_from(folder.path(), 0).unwrap();
        compare(&shape, &way, store);
    }
}
