//! Every bound of this layer, in one place (ENG-20). Callers with tighter bounds pass their own.

/// Longest path a caller may name, in bytes; Linux's `PATH_MAX`.
pub const PATH_BYTES: usize = 4096;

/// Largest file that is read, in bytes: 8 MiB. No source file is larger; generated ones are searched, not read.
pub const READ_BYTES: usize = 8 * 1024 * 1024;

/// Most entries of one directory that are listed.
pub const LIST_ENTRIES: usize = 500;

/// Deepest directory level a walk enters; the root's own entries are at level 1.
pub const WALK_DEPTH: usize = 64;

/// Most files a walk returns; the rest is counted.
pub const WALK_FILES: usize = 50_000;

/// Most unreadable places that are named; the rest is counted.
pub const PROBLEMS_NAMED: usize = 20;

/// Most characters of something typed that an error repeats.
pub const SHOWN_CHARS: usize = 200;

/// Longest slug, in bytes: with a suffix and an extension still below the 255 of common file systems.
pub const SLUG_BYTES: usize = 100;

/// Longest text that is parsed for an outline, in bytes; the rest of a longer file is counted.
pub const OUTLINE_BYTES: usize = 2 * 1024 * 1024;

/// Most symbols of one outline.
pub const OUTLINE_SYMBOLS: usize = 20_000;

/// Most imports of one outline.
pub const OUTLINE_IMPORTS: usize = 2_000;

/// Deepest nesting of symbols; what is deeper is counted.
pub const OUTLINE_NESTING: usize = 16;

/// Longest signature, decorator or import, in characters.
pub const SIGNATURE_CHARS: usize = 400;
