//! The parsing of ideas.

use stategraph::workflows::ard::input::{Idea, IdeaError, MAX_IDEA_BYTES};

#[test]
fn an_idea_is_any_text_that_shows_something() {
    for (given, kept) in
        [("a chat", "a chat"), ("  \n a chat \t", "a chat"), ("聊天", "聊天"), ("\u{feff}x", "\u{feff}x")]
    {
        assert_eq!(Idea::parse(given).expect(given).as_str(), kept);
    }
    assert_eq!(Idea::from_bytes("\u{feff}x".as_bytes()).expect("a byte order mark is dropped").as_str(), "x");
}

#[test]
fn blank_text_is_no_idea() {
    // ARD-27
    for blank in ["", " ", "\n\t \r\n", "\u{a0}\u{2003}", "\u{200b}\u{200d}", "\u{feff}", "\0\u{7}"] {
        let error = Idea::parse(blank).expect_err("blank");
        assert!(matches!(error, IdeaError::Empty), "{blank:?} gave {error}");
        assert!(error.hint().contains("--idea"));
    }
}

#[test]
fn the_limit_holds_to_the_byte() {
    // ENG-20
    for (size, fits) in [(MAX_IDEA_BYTES - 1, true), (MAX_IDEA_BYTES, true), (MAX_IDEA_BYTES + 1, false)] {
        let text = "x".repeat(size);
        assert_eq!(Idea::parse(&text).is_ok(), fits, "{size} bytes of text");
        assert_eq!(Idea::from_bytes(text.as_bytes()).is_ok(), fits, "{size} bytes");
        assert_eq!(Idea::from_reader(text.as_bytes()).is_ok(), fits, "a stream of {size} bytes");
    }
}

#[test]
fn ten_megabytes_are_refused_without_being_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("idea.txt");
    let file = std::fs::File::create(&path).expect("a file");
    file.set_len(10 << 20).expect("a sparse file");
    let error = Idea::read(&path).expect_err("too long");
    assert_eq!(error.to_string(), "the idea is too long: 10485760 bytes or more, the limit is 1048576 bytes");
}

#[test]
fn bytes_that_are_no_text_are_named_with_their_place() {
    // ARD-27: non-text is rejected
    let error = Idea::from_bytes(b"caf\xe9 finder").expect_err("latin-1");
    assert_eq!(error.to_string(), "the idea is not UTF-8 text: byte 0xe9 at position 3");
    assert!(error.hint().contains("UTF-8"));
    assert!(
        matches!(Idea::from_bytes(b"x\xe2\x82"), Err(IdeaError::NotUtf8 { position: 1, .. })),
        "a cut character"
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = Idea::read("no/such/idea.txt").expect_err("missing");
    assert_eq!(error.to_string(), "cannot read the idea from no/such/idea.txt");
}

#[test]
fn an_idea_in_a_checkpoint_is_checked_like_any_other() {
    // ARD-3: the type has no way to change the text
    let idea = Idea::parse("a chat").expect("an idea");
    let json = serde_json::to_string(&idea).expect("plain data");
    assert_eq!(serde_json::from_str::<Idea>(&json).expect("the same"), idea);
    assert!(serde_json::from_str::<Idea>("\"  \"").is_err());
}
