//! Tables of results for a terminal. Pure text, without colours; the caller prints.

use stategraph_base::{cut, is_deceptive};

use super::compare::{RunComparison, RunVerdict};
use super::metrics::{DocumentMetrics, QualityMetric};
use super::result::{BatchSummary, EvaluationResult};

/// Characters of a package's name or of an error in a table.
const CELL: usize = 60;

/// Returns the scores of a batch as a table: a line for each package in the order of the list, then the averages.
pub fn summary_table(summary: &BatchSummary) -> String {
    let mut rows = vec![vec!["package".to_owned()]];
    rows[0].extend(QualityMetric::ALL.iter().map(ToString::to_string));
    rows[0].push("critical/major/minor".to_owned());
    rows.extend(summary.entries.iter().map(summary_row));
    if let Some(averages) = summary.averages.filter(|_| summary.entries.len() > 1) {
        let mut row = vec!["average".to_owned()];
        row.extend(scores(&averages));
        rows.push(row);
    }
    let totals = &summary.totals;
    let mut text = layout(&rows);
    text += &format!(
        "{} of {} packages evaluated; issues: {} critical, {} major, {} minor; tokens: {}",
        totals.evaluated,
        totals.packages,
        totals.issues.critical,
        totals.issues.major,
        totals.issues.minor,
        totals.tokens.total()
    );
    match (totals.cost, totals.unpriced) {
        (Some(cost), 0) => text += &format!("; cost: ${cost:.4}"),
        (Some(cost), unpriced) => {
            text += &format!("; cost: ${cost:.4} and that of {unpriced} without a price")
        }
        (None, _) => {}
    }
    text.push('\n');
    text
}

fn summary_row(entry: &EvaluationResult) -> Vec<String> {
    let mut row = vec![cell(&entry.package)];
    match (&entry.scores, &entry.error) {
        (Some(metrics), _) => {
            row.extend(scores(metrics));
            let counts = super::result::IssueCounts::of(&entry.issues);
            row.push(format!("{}/{}/{}", counts.critical, counts.major, counts.minor));
        }
        (None, error) => row.push(format!("error: {}", cell(error.as_deref().unwrap_or("no scores")))),
    }
    row
}

fn scores(metrics: &DocumentMetrics) -> impl Iterator<Item = String> {
    let metrics = *metrics;
    QualityMetric::ALL.into_iter().map(move |metric| format!("{:.1}", metrics.score(metric)))
}

/// Returns the differences of two runs as two tables: packages by their composite, then the averages by metric.
pub fn comparison_table(comparison: &RunComparison) -> String {
    let mut rows = vec![header("package")];
    for package in &comparison.packages {
        let mut row = vec![cell(&package.package)];
        match package.metrics.last() {
            Some(composite) => row.extend(numbers(composite.first, composite.second, composite.difference)),
            None => row.extend(["-", "-", "-"].map(str::to_owned)),
        }
        row.push(package.verdict.to_string());
        let error = package.second_error.as_deref().or(package.first_error.as_deref());
        if let Some(error) = error {
            row.push(format!("error: {}", cell(error)));
        }
        rows.push(row);
    }
    let mut text = format!("first:  {}\nsecond: {}\n\n", cell(&comparison.first), cell(&comparison.second));
    text += &layout(&rows);
    if !comparison.averages.is_empty() {
        let mut rows = vec![header("average")];
        for average in &comparison.averages {
            let mut row = vec![average.metric.to_string()];
            row.extend(numbers(average.first, average.second, average.difference));
            rows.push(row);
        }
        text.push('\n');
        text += &layout(&rows);
    }
    let count = |verdict| comparison.count(verdict);
    text += &format!(
        "\n{} better, {} worse, {} equal, {} only in the first, {} only in the second\n",
        count(RunVerdict::Better),
        count(RunVerdict::Worse),
        count(RunVerdict::Equal),
        count(RunVerdict::OnlyFirst),
        count(RunVerdict::OnlySecond)
    );
    text
}

fn header(name: &str) -> Vec<String> {
    [name, "first", "second", "change"].map(str::to_owned).to_vec()
}

fn numbers(first: f64, second: f64, difference: f64) -> [String; 3] {
    [format!("{first:.1}"), format!("{second:.1}"), format!("{difference:+.1}")]
}

/// Makes a cell of foreign text: one line without characters that control the terminal or hide text.
fn cell(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !c.is_control() && !is_deceptive(*c))
        .collect();
    cut(&shown, CELL).in_line()
}

/// Aligns columns: the first to the left, numbers to the right. The last cell of a row may be longer than its column.
fn layout(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        // Words that end a row, such as an error, need no column of their own.
        let cells = rows.iter().filter(|row| row.len() == columns || column + 1 < row.len());
        cells.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let gap = if column == 0 { "" } else { "  " };
            line += gap;
            let is_number = cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
            let width = widths.get(column).copied().unwrap_or(0);
            match column > 0 && (is_number || std::ptr::eq(row, &raw const rows[0])) {
                true => line += &format!("{cell:>width$}"),
                false if column + 1 == row.len() => line += cell,
                false => line += &format!("{cell:<width$}"),
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
