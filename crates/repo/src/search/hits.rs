//! The matching lines of one file, as the searcher hands them over. Counts all, keeps as many as there is room for.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};

use super::Hit;
use crate::limit::LINE_CHARS;

/// The matching lines of one file, as the searcher of ripgrep reports them. All are counted, and the first
/// `room` are kept.
pub(super) struct FileHits<'m> {
    matcher: &'m RegexMatcher,
    room: usize,
    /// The kept lines; their path is empty.
    pub(super) hits: Vec<Hit>,
    pub(super) lines: usize,
    pub(super) is_binary: bool,
    before: Vec<String>,
}

impl<'m> FileHits<'m> {
    pub(super) fn new(matcher: &'m RegexMatcher, room: usize) -> Self {
        Self { matcher, room, hits: Vec::new(), lines: 0, is_binary: false, before: Vec::new() }
    }
}

impl Sink for FileHits<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.lines += 1;
        let before = std::mem::take(&mut self.before);
        if self.hits.len() < self.room {
            let at = self.matcher.find(found.bytes()).ok().flatten().map_or(0, |at| at.start());
            let line = found.line_number().unwrap_or_default();
            self.hits.push(Hit {
                path: String::new(),
                line,
                text: excerpt(found.bytes(), at),
                before,
                after: Vec::new(),
            });
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        let text = || excerpt(found.bytes(), 0);
        match found.kind() {
            SinkContextKind::Before if self.hits.len() < self.room => self.before.push(text()),
            SinkContextKind::After if self.hits.len() == self.lines => {
                if let Some(last) = self.hits.last_mut() {
                    last.after.push(text());
                }
            }
            _ => {}
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, found: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary = found.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Returns at most [`LINE_CHARS`] characters of a line, around the byte `at`, without the line break. `…`
/// marks omitted text.
fn excerpt(line: &[u8], at: usize) -> String {
    let end = line.len() - line.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    let line = &line[..end];
    // Four bytes are the longest character; a line of megabytes is not decoded whole.
    let start = if at > LINE_CHARS / 2 && line.len() > LINE_CHARS { at - LINE_CHARS / 3 } else { 0 };
    let start = (start..start + 4)
        .find(|at| line.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80))
        .unwrap_or(start)
        .min(end);
    let window = &line[start..line.len().min(start + LINE_CHARS * 4 + 4)];
    let text = String::from_utf8_lossy(window);
    let mut kept: String = text.chars().take(LINE_CHARS).collect();
    if start > 0 {
        kept.insert(0, '…');
    }
    if text.chars().nth(LINE_CHARS).is_some() || start + window.len() < line.len() {
        kept.push('…');
    }
    kept
}
