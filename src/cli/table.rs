//! Formats tables with aligned columns, and times for display.

use std::time::{Duration, UNIX_EPOCH};

use super::printer::Printer;

/// Rows under a heading, with aligned columns.
pub(super) struct Table<const N: usize> {
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    pub(super) fn new(heading: [&str; N]) -> Self {
        Self { rows: vec![heading.map(str::to_owned)] }
    }

    pub(super) fn row(&mut self, row: [String; N]) {
        self.rows.push(row);
    }

    /// Prints the table as data. Prints nothing without rows, not even the heading.
    pub(super) fn print(&self, printer: &Printer) {
        if self.rows.len() < 2 {
            return;
        }
        let width =
            |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; N] = std::array::from_fn(width);
        for row in &self.rows {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
            printer.data(cells.collect::<Vec<_>>().join("  ").trim_end());
        }
    }
}

/// Formats milliseconds since 1970 as date and time in UTC.
pub(super) fn time(at_ms: u64) -> String {
    /// Last second of the year 9999. Later times are clamped, because `fmt_http_date` panics on them.
    const LAST_MS: u64 = 253_402_300_799_000;
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_millis(at_ms.min(LAST_MS)))
}
