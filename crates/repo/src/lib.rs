//! Reads a code base safely: nothing outside its root, everything within bounds, equal bytes every time. Knows no model and no graph.
//!
//! Reading order: `guard` (permitted paths), `limit` (all bounds), `show` and `cut` (names and long texts in messages), `noise`, `source`
//! and `left_out` (skipped folders, their exceptions, and the counts of skipped entries); then the operations on a tree: `read`, `list`,
//! `walk`; `files` (the trait that the tools read through) and `memory`; the tools: `lines`, `search`, `hash`, `manifest`, `find`, `glob`,
//! `tree`, and with the feature `outline` also `outline`, `symbols`, `references`, `resolve`, `names`, `sites` (calls and attributes), `edges`
//! (dependencies between files), `unread`, `parts` (a file's parts as bytes), `snapshot` (a tree that does not change), `tree_parse` (all files
//! parsed once) and `code_base`, their facade; last the writers: `slug` (ids as file names) and `write` (atomic replacement).

mod guard;
pub mod limit;

mod left_out;
mod noise;
mod show;
mod source;

mod list;
mod read;
mod walk;

mod files;
mod hash;
mod lines;
mod manifest;
mod memory;
mod parallel;
mod search;

mod find;
mod glob;
mod tree;

#[cfg(feature = "outline")]
mod byte_gate;
#[cfg(feature = "outline")]
mod cache;
#[cfg(feature = "outline")]
mod code_base;
#[cfg(feature = "outline")]
mod edges;
#[cfg(feature = "outline")]
mod names;
#[cfg(feature = "outline")]
mod outline;
#[cfg(feature = "outline")]
mod parts;
#[cfg(feature = "outline")]
mod references;
#[cfg(feature = "outline")]
mod resolve;
#[cfg(feature = "outline")]
mod sites;
#[cfg(feature = "outline")]
mod snapshot;
#[cfg(feature = "outline")]
mod symbols;
#[cfg(feature = "outline")]
mod tree_parse;
#[cfg(feature = "outline")]
mod unread;

mod slug;
mod write;

#[cfg(feature = "outline")]
pub use code_base::{CodeBase, NoText};
#[cfg(feature = "outline")]
pub use edges::{
    Ambiguity, CalledFunction, Dependencies, Edge, EdgeClass, OpenCall, RelationKind, ResolvedCall,
    ScriptCall, TypeRelation,
};
pub use files::Files;
pub use find::{Candidate, Candidates, find_files};
pub use glob::{FileList, ListFilesError, list_files, list_files_from};
pub use guard::{PathError, RepoPath, Root, RootError};
pub use hash::{Changes, ContentHash, TreeSnapshot};
pub use left_out::LeftOut;
pub use lines::{Lines, LinesError, lines, snippet};
pub use list::{EntryKind, ListEntry, Listing, list};
pub use manifest::{
    DeclaredKind, DeclaredTarget, Dependency, KeyFiles, Manifest, ManifestMark, ProjectMetadata, ProjectType,
    Scope, is_manifest, key_files, manifest, project, side_manifest,
};
pub use memory::MemoryFiles;
#[cfg(feature = "outline")]
pub use names::is_test_attribute;
pub use noise::{NOISE_FOLDERS, Noise, noise};
#[cfg(feature = "outline")]
pub use outline::{
    CallSite, CodeStatement, CodeTree, FileOutline, Import, Language, Mention, OutlineGaps, StatementPart,
    SymbolInfo, SymbolKind, Visibility, calls, code_words, outline, type_name,
};
pub use parallel::parallel_map;
#[cfg(feature = "outline")]
pub use parts::{PartKey, PartStore};
pub use read::{ReadError, ReadProblem, read_text};
#[cfg(feature = "outline")]
pub use references::{Reference, References, references};
#[cfg(feature = "outline")]
pub use resolve::{ImportMap, is_of_standard_library};
pub use search::{Case, Count, Found, Hit, Search, SearchError, Tally, search, tally};
pub use show::{is_plain, show};
#[cfg(feature = "outline")]
pub use sites::{Site, SiteArgument, SiteKind};
pub use slug::Slug;
#[cfg(feature = "outline")]
pub use snapshot::FilesSnapshot;
pub use stategraph_base::{Cut, cut};
#[cfg(feature = "outline")]
pub use symbols::{SymbolDetail, SymbolError, symbol};
pub use tree::{NodeKind, Scan, ScanLimits, TreeNode, scan};
#[cfg(feature = "outline")]
pub use tree_parse::{ParseCoverage, ParsedFile, ParsedTree, TreeParse};
#[cfg(feature = "outline")]
pub use unread::unread;
pub use walk::{Walk, WalkLimits, WalkedFile, walk};
pub use write::{FileWriter, WriteError, WriteProblem, create, probe, replace, replace_private};
