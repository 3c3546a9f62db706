//! Reading a code base safely: nothing outside its root, nothing without a bound, the same bytes every time. Knows no model
//! and no graph.
//!
//! Reading order: `guard` (which paths may be named at all), `limit` (every bound), `show` and `cut` (how names and long
//! texts are put into messages), `noise` and `left_out` (what is skipped, and saying so), then what works on a tree:
//! `read`, `list`, `walk`; last what writes: `slug` (ids as file names), `write` (atomic replacement).

mod guard;
pub mod limit;

mod cut;
mod left_out;
mod noise;
mod show;

mod list;
mod read;
mod walk;

#[cfg(feature = "outline")]
mod outline;

mod slug;
mod write;

pub use cut::{Cut, cut};
pub use guard::{PathError, RepoPath, Root, RootError};
pub use left_out::LeftOut;
pub use list::{EntryKind, ListEntry, Listing, list};
pub use noise::{NOISE_FOLDERS, Noise, noise};
#[cfg(feature = "outline")]
pub use outline::{FileOutline, Gaps, Import, Language, SymbolInfo, SymbolKind, Visibility, outline};
pub use read::{ReadError, ReadProblem, read_text};
pub use show::show;
pub use slug::Slug;
pub use walk::{Walk, WalkLimits, WalkedFile, walk};
pub use write::{WriteError, WriteProblem, probe, replace};
