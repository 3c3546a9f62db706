//! Formats tables with aligned columns, and times for display.

use std::time::{Duration, UNIX_EPOCH};

use super::printer::Printer;

/// A table with a heading and `N` columns, for standard output. If the terminal is too narrow, each row is
/// printed as a paragraph.
pub(super) struct Table<const N: usize> {
    rows: Vec<[String; N]>,
}

/// Indentation of the further lines of a paragraph.
const INDENT: &str = "  ";

impl<const N: usize> Table<N> {
    pub(super) fn new(heading: [&str; N]) -> Self {
        Self { rows: vec![heading.map(str::to_owned)] }
    }

    pub(super) fn row(&mut self, row: [String; N]) {
        self.rows.push(row);
    }

    /// Prints the table on standard output. Prints nothing, not even the heading, if it has no rows.
    pub(super) fn print(&self, printer: &Printer) {
        if self.rows.len() < 2 {
            return;
        }
        let lines = self.aligned();
        let is_too_wide = |width: usize| lines.iter().any(|line| line.chars().count() > width);
        match printer.columns().filter(|width| is_too_wide(*width)) {
            Some(width) => self.paragraphs(width).iter().for_each(|line| printer.data(line)),
            None => lines.iter().for_each(|line| printer.data(line)),
        }
    }

    /// Returns the lines of the table, heading first, with aligned columns.
    fn aligned(&self) -> Vec<String> {
        let width =
            |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; N] = std::array::from_fn(width);
        let line = |row: &[String; N]| {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }

    /// Returns the table as paragraphs: the first cell of each row on a line of its own, so that a reader
    /// can copy it, and the other cells below with their column names, wrapped to `width` characters.
    fn paragraphs(&self, width: usize) -> Vec<String> {
        let (heading, rows) = self.rows.split_first().expect("new() adds the heading");
        let mut lines = Vec::new();
        for row in rows {
            lines.push(row[0].clone());
            let cells = heading.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty());
            let text: Vec<String> =
                cells.map(|(name, cell)| format!("{} {cell}", name.to_lowercase())).collect();
            lines.extend(wrap(&text.join(", "), width));
        }
        lines
    }
}

/// Breaks a text into indented lines of at most `width` characters. A longer word gets a line of its own.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{INDENT}{word}")),
        }
    }
    lines
}

/// Formats a time, in milliseconds since 1970, as date and time in UTC, such as `Sun, 06 Nov 1994 08:49:37
/// GMT`.
pub(super) fn time(at_ms: u64) -> String {
    /// Last second of the year 9999. Later times are clamped, because `fmt_http_date` panics on them.
    const LAST_MS: u64 = 253_402_300_799_000;
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_millis(at_ms.min(LAST_MS)))
}

/// Formats a time by its distance from now, such as `3 min ago`. A time more than 30 days ago, or more than
/// a minute in the future, is formatted as a date.
pub(super) fn ago(at_ms: u64, now_ms: u64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    /// Difference between the clocks of two machines that is not worth a date, in milliseconds.
    const SKEW_MS: u64 = 60_000;
    if at_ms > now_ms.saturating_add(SKEW_MS) {
        return date(at_ms);
    }
    let seconds = now_ms.saturating_sub(at_ms) / 1000;
    match seconds {
        0..10 => "just now".to_owned(),
        10..MINUTE => format!("{seconds} s ago"),
        MINUTE..HOUR => format!("{} min ago", seconds / MINUTE),
        // Up to two days, because `1 day ago` could be yesterday or the day before.
        HOUR.. if seconds < 2 * DAY => format!("{} h ago", seconds / HOUR),
        _ if seconds < 30 * DAY => format!("{} days ago", seconds / DAY),
        _ => date(at_ms),
    }
}

/// Formats the day of a time, in milliseconds since 1970, as `06 Nov 1994`.
fn date(at_ms: u64) -> String {
    let time = time(at_ms);
    time.get("Sun, ".len().."Sun, 06 Nov 1994".len()).unwrap_or(&time).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Table, ago, wrap};

    #[test]
    fn a_time_is_told_by_its_distance() {
        const NOW: u64 = 1_700_000_000_000;
        for (seconds, expected) in [
            (0, "just now"),
            (9, "just now"),
            (10, "10 s ago"),
            (59, "59 s ago"),
            (60, "1 min ago"),
            (3 * 60 + 59, "3 min ago"),
            (3600, "1 h ago"),
            (47 * 3600, "47 h ago"),
            (48 * 3600, "2 days ago"),
            (29 * 86_400, "29 days ago"),
            (30 * 86_400, "15 Oct 2023"),
            (NOW / 1000, "01 Jan 1970"),
        ] {
            assert_eq!(ago(NOW - seconds * 1000, NOW), expected, "{seconds} s");
        }
        assert_eq!(ago(NOW + 59_000, NOW), "just now", "the clock of another machine is a little ahead");
        assert_eq!(ago(NOW + 86_400_000, NOW), "15 Nov 2023");
        assert_eq!(ago(u64::MAX, NOW), "31 Dec 9999");
    }

    #[test]
    fn a_row_that_is_too_wide_is_a_paragraph_whose_id_is_whole() {
        let mut table = Table::new(["THREAD", "GRAPH", "STATUS"]);
        let id = "0b1c2d3e-0000-7000-8000-000000000000";
        table.row([id.into(), "ard".into(), "reviewer (waits for an answer)".into()]);
        let expected = [id, "  graph ard, status reviewer (waits for", "  an answer)"];
        assert_eq!(table.paragraphs(40), expected);
        assert!(table.aligned()[0].starts_with("THREAD  "));
        assert_eq!(wrap("a-very-long-word b", 6), ["  a-very-long-word", "  b"]);
    }
}
