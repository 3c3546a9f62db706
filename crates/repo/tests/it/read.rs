//! Bounded reading: whatever stands where text should be is a message.

use std::os::unix::net::UnixListener;

use stategraph_repo::limit::READ_BYTES;
use stategraph_repo::{Root, read_text};

use super::{put, tree};

fn said(root: &Root, path: &str) -> String {
    read_text(&root.path(path).expect(path)).expect_err(path).to_string()
}

#[test]
fn text_is_read_whole_and_empty_files_are_empty() {
    // ENG-19
    let (_home, root) = tree(&[("a", "naïve\r\n"), ("empty", ""), ("bom", "\u{feff}text")]);
    let read = |path| read_text(&root.path(path).expect("inside")).expect("text");
    assert_eq!(read("a"), "naïve\r\n");
    assert_eq!(read("empty"), "");
    assert_eq!(read("bom"), "text");
}

#[test]
fn what_is_no_text_says_what_it_is() {
    // ENG-19
    let (_home, root) = tree(&[("folder/x", "")]);
    put(root.absolute(), "binary", b"\x7fELF\0\0");
    put(root.absolute(), "latin1", b"caf\xE9");
    put(root.absolute(), "utf16", b"\xFF\xFEa\0");
    put(root.absolute(), "half", "né".as_bytes().split_last().expect("bytes").1);
    let _socket = UnixListener::bind(root.absolute().join("socket")).expect("a socket");
    assert_eq!(said(&root, "gone"), "`gone` does not exist");
    assert_eq!(said(&root, "folder"), "`folder` is a directory");
    assert_eq!(said(&root, "binary"), "`binary` is binary (6 bytes)");
    assert_eq!(said(&root, "latin1"), "`latin1` is not UTF-8 (at byte 3)");
    assert_eq!(said(&root, "utf16"), "`utf16` is not UTF-8 (at byte 0)");
    assert_eq!(said(&root, "half"), "`half` is not UTF-8 (at byte 1)");
    assert_eq!(said(&root, "socket"), "`socket` is a pipe, socket or device");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_says_why() {
    // ENG-19. A process's memory is a regular file whose beginning nobody may read, not even root.
    let root = Root::open("/proc/self").expect("Linux has it");
    assert!(said(&root, "mem").starts_with("`mem` cannot be read: "));
}

#[test]
fn a_file_at_the_limit_is_read_and_one_byte_more_is_not() {
    // ENG-20
    let (_home, root) = tree(&[]);
    for (name, bytes) in [("below", READ_BYTES - 1), ("at", READ_BYTES), ("above", READ_BYTES + 1)] {
        put(root.absolute(), name, &vec![b'x'; bytes]);
    }
    let read = |path| read_text(&root.path(path).expect("inside")).map(|text| text.len());
    assert_eq!(read("below"), Ok(READ_BYTES - 1));
    assert_eq!(read("at"), Ok(READ_BYTES));
    assert_eq!(said(&root, "above"), "`above` has 8388609 bytes, more than the 8388608 that are read");
}
