//! Every bound of this layer, in one place (ENG-20). Callers with tighter bounds pass their own.

/// Longest path a caller may name, in bytes; Linux's `PATH_MAX`.
pub const PATH_BYTES: usize = 4096;

/// Largest file that is read, in bytes: 8 MiB. No source file is larger; generated ones are searched, not read.
pub const READ_BYTES: usize = 8 * 1024 * 1024;

/// Bytes that are hashed at each end of a file above [`READ_BYTES`]; the middle is not read.
pub const HASHED_ENDS: u64 = 1024 * 1024;

/// Most entries of one directory that are listed.
pub const LIST_ENTRIES: usize = 500;

/// Maximum size of a manifest that is read to find the folder in which a package begins, in bytes.
pub const MANIFEST_BYTES: u64 = 1024 * 1024;

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

/// Maximum length of a text that is parsed for an outline, in bytes; the rest of a longer file is only
/// counted.
pub const OUTLINE_BYTES: usize = 2 * 1024 * 1024;

/// Maximum length of a text that is parsed when a whole tree is parsed, in bytes. Longer files are mostly
/// tables of numbers, and a syntax tree takes about 65 bytes for each byte of theirs.
pub const TREE_FILE_BYTES: usize = 768 * 1024;

/// Most bytes of text whose syntax trees are in memory at one time when a whole tree is parsed.
pub const TREE_BYTES_AT_ONCE: usize = 1024 * 1024;

/// Most files of a tree that are parsed; those of a higher rank come first.
pub const TREE_PARSED_FILES: usize = 20_000;

/// Most bytes of a tree that are parsed: with 7 MB a second on two cores, 15 seconds.
pub const TREE_PARSED_BYTES: u64 = 96 * 1024 * 1024;

/// Maximum number of bytes of texts that a snapshot of files keeps in memory.
pub const SNAPSHOT_BYTES: usize = 8 * 1024 * 1024;

/// Maximum length of a text that a snapshot of files keeps, in bytes; of longer ones it keeps only the hash.
pub const SNAPSHOT_FILE_BYTES: usize = 256 * 1024;

/// Most symbols of one outline.
pub const OUTLINE_SYMBOLS: usize = 20_000;

/// Most imports of one outline.
pub const OUTLINE_IMPORTS: usize = 2_000;

/// Maximum nesting of symbols; deeper symbols are counted only.
pub const OUTLINE_NESTING: usize = 16;

/// Maximum number of calls that are recorded for one file.
pub const CALLS: usize = 20_000;

/// Longest signature, decorator or import, in characters.
pub const SIGNATURE_CHARS: usize = 400;

/// Longest line that a search shows, in characters; more is cut around the match.
pub const LINE_CHARS: usize = 300;

/// Most lines of context before and after a match.
pub const CONTEXT_LINES: usize = 20;

/// Maximum length of a line that is searched, in bytes. A file with a longer line is reported as not searched
/// to its end.
pub const SEARCH_LINE_BYTES: usize = 16 * 1024 * 1024;

/// Most bytes of a compiled pattern.
pub const PATTERN_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of different texts that a tally (a count of matched texts) counts.
pub const TALLY_TEXTS: usize = 200_000;

/// Maximum length of a text that a tally counts, in bytes.
pub const TALLY_BYTES: usize = 200;

/// Most lines that are read at once (CTX-106).
pub const READ_LINES: usize = 500;

/// Most references that are shown (CTX-41).
pub const REFERENCES: usize = 30;

/// Maximum number of bytes of the outlines that a code base keeps in memory.
pub const CACHE_BYTES: usize = 32 * 1024 * 1024;

/// Most manifests of one repository that are read.
pub const MANIFESTS: usize = 100;

/// Most characters of a README that are kept.
pub const README_CHARS: usize = 8_000;

/// Maximum number of key files (those to read first) of one kind (CTX-12).
pub const KEY_FILES: usize = 20;

/// Deepest level of a scan's tree (CTX-10).
pub const SCAN_DEPTH: usize = 6;

/// Most entries of one directory in a scan's tree (CTX-10).
pub const SCAN_CHILDREN: usize = 200;

/// Most directories that `list_files` names (DOC-68).
pub const LIST_DIRECTORIES: usize = 50;

/// Most files that `list_files` names (DOC-68).
pub const LIST_FILES: usize = 100;

/// Longest pattern of file names, in bytes.
pub const GLOB_BYTES: usize = 1_000;

/// Most files that a search for keywords names (CTX-41).
pub const FOUND_FILES: usize = 15;

/// Most keywords of one search for files.
pub const KEYWORDS: usize = 20;
