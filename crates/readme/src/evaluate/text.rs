//! Tables of results for a terminal. Pure text, without colours; the caller prints.

use stategraph_base::{cut, is_deceptive};

use super::compare::{RunComparison, RunVerdict};
use super::metrics::{DocumentMetrics, QualityMetric};
use super::result::{BatchSummary, BatchTotals, EvaluationResult, IssueCounts};

/// Maximum number of characters of a package name or an error in a table.
const CELL: usize = 60;

/// Returns the scores of a batch as a text table: a row for each package in the order of the batch, a row
/// of averages if there are several, and a line with the totals.
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
    layout(&rows) + &totals_line(&summary.totals)
}

fn totals_line(totals: &BatchTotals) -> String {
    let issues = totals.issues;
    let cost = match (totals.cost, totals.unpriced) {
        (Some(cost), 0) => format!("; cost: ${cost:.4}"),
        (Some(cost), unpriced) => format!("; cost: ${cost:.4} and that of {unpriced} without a price"),
        (None, _) => String::new(),
    };
    format!(
        "{} of {} packages evaluated; issues: {} critical, {} major, {} minor; tokens: {}{cost}\n",
        totals.evaluated,
        totals.packages,
        issues.critical,
        issues.major,
        issues.minor,
        totals.tokens.total()
    )
}

fn summary_row(entry: &EvaluationResult) -> Vec<String> {
    let mut row = vec![cell(&entry.package)];
    match (&entry.scores, &entry.error) {
        (Some(metrics), _) => {
            row.extend(scores(metrics));
            let counts = IssueCounts::of(&entry.issues);
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

/// Returns the differences of two runs as text: a table of packages with their composite scores, a table of
/// the average of each metric, and the number of packages for each verdict.
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
    let mut averages = vec![header("average")];
    for average in &comparison.averages {
        let mut row = vec![average.metric.to_string()];
        row.extend(numbers(average.first, average.second, average.difference));
        averages.push(row);
    }
    let averages = if comparison.averages.is_empty() { String::new() } else { layout(&averages) + "\n" };
    let count = |verdict| comparison.count(verdict);
    format!(
        "first:  {}\nsecond: {}\n\n{}\n{averages}{} better, {} worse, {} equal, {} only in the first, {} only in the second\n",
        cell(&comparison.first),
        cell(&comparison.second),
        layout(&rows),
        count(RunVerdict::Better),
        count(RunVerdict::Worse),
        count(RunVerdict::Equal),
        count(RunVerdict::OnlyFirst),
        count(RunVerdict::OnlySecond)
    )
}

fn header(name: &str) -> Vec<String> {
    [name, "first", "second", "change"].map(str::to_owned).to_vec()
}

fn numbers(first: f64, second: f64, difference: f64) -> [String; 3] {
    [format!("{first:.1}"), format!("{second:.1}"), format!("{difference:+.1}")]
}

/// Makes a table cell of a text from outside: one line, cut to [`CELL`] characters, without characters that
/// control the terminal or hide text.
fn cell(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !c.is_control() && !is_deceptive(*c))
        .collect();
    cut(&shown, CELL).in_line()
}

/// Returns the rows as lines with aligned columns: the first column to the left, numbers to the right. The
/// first row is the header. A row may be shorter than the others; its last cell may then be wider than its
/// column.
fn layout(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        // Words that end a row, such as an error, need no column of their own.
        let cells = rows.iter().filter(|row| row.len() == columns || column + 1 < row.len());
        cells.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let pad = |column: usize, cell: &String, row: &[String], is_header: bool| {
        let is_number = cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
        let width = widths.get(column).copied().unwrap_or(0);
        if column > 0 && (is_number || is_header) {
            format!("{cell:>width$}")
        } else if column + 1 == row.len() {
            cell.clone()
        } else {
            format!("{cell:<width$}")
        }
    };
    let lines = rows.iter().enumerate().map(|(number, row)| {
        let cells = row.iter().enumerate().map(|(column, cell)| pad(column, cell, row, number == 0));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    });
    lines.collect()
}
