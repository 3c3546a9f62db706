//! Places as texts name them: `path`, `path:12`, `path:12-20`, `path#L12-L20`. Reads no repository; see `places`.

/// A place that a text names: a path with or without lines.
pub(super) struct NamedPlace<'a> {
    pub(super) path: &'a str,
    pub(super) lines: NamedLines,
}

/// The lines in a place that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedLines {
    /// The place is a whole file.
    None,
    /// The first and the last line, from 1.
    Range(u32, u32),
    /// A number is there, but no range: `12-`.
    Malformed,
}

impl<'a> NamedPlace<'a> {
    /// Parses `path`, `path:12`, `path:12-20` or `path#L12-L20`; `None` if the text cannot be a path.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let (path, lines) = match text.split_once("#L") {
            Some((path, lines)) => (path, parse_lines(lines).into()),
            None => match text.split_once(':') {
                Some((path, lines)) => (path, lines_of(lines)?),
                None => (text, NamedLines::None),
            },
        };
        let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '+' | '@');
        let is_path = path.chars().all(is_of_path) && path.chars().any(char::is_alphanumeric);
        let is_dotted = path.split('/').any(|part| part.contains("..") && part != "..");
        let is_place = is_path && !path.starts_with(['@', '-']) && !path.contains("//") && path.len() > 1;
        (is_place && !is_dotted).then_some(Self { path, lines })
    }

    /// Returns true for a path that is absolute or leaves its folder.
    pub(super) fn is_outside(&self) -> bool {
        self.path.starts_with('/') || self.path.split('/').any(|part| part == "..")
    }

    /// Returns true if the place names lines, valid or malformed.
    pub(super) fn has_lines(&self) -> bool {
        self.lines != NamedLines::None
    }
}

impl From<Option<(u32, u32)>> for NamedLines {
    fn from(lines: Option<(u32, u32)>) -> Self {
        lines.map_or(Self::Malformed, |(start, end)| Self::Range(start, end))
    }
}

/// Parses the text behind the colon of a place; `None` for a text that names no lines, as in `std::fs`.
fn lines_of(text: &str) -> Option<NamedLines> {
    if !text.trim_start_matches('L').starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // Compilers add the column: `12:5`.
    let line = text.split_once(':').map_or(text, |(line, _)| line);
    Some(parse_lines(line).into())
}

/// Parses `12`, `12-20` or `L12-L20` into the first and the last line; `None` for other texts.
pub(super) fn parse_lines(text: &str) -> Option<(u32, u32)> {
    let number = |text: &str| text.trim_start_matches('L').parse::<u32>().ok();
    match text.split_once(['-', '–']) {
        Some((start, end)) => Some((number(start)?, number(end)?)),
        None => number(text).map(|line| (line, line)),
    }
}
