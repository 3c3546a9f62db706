//! Quality metrics of a document (SEC-132), results of runs, comparisons of two runs, and the pure part of a modification.
//!
//! - [`metrics`](fn@metrics): five scores of a document and their weighted sum.
//! - [`EvaluationResult`], [`BatchSummary`]: the results of one package and of a list of packages.
//! - [`write_results`], [`read_results`]: the files of a batch in the output folder.
//! - [`compare`](fn@compare): the differences of two runs; [`comparison_table`] and [`summary_table`] show them on a terminal.
//! - [`promptfoo`](fn@promptfoo): runs in the export format of promptfoo.
//! - [`SnapshotFolder`]: the iterations of a run as files.
//! - [`modify`]: the scope of a modification request, and the replacement of sections.

mod compare;
mod measure;
mod metrics;
pub mod modify;
mod output;
mod promptfoo;
mod result;
mod snapshots;
mod text;
mod words;

pub use compare::{MetricDifference, PackageComparison, RunComparison, RunVerdict, compare};
pub use metrics::{DocumentMetrics, QualityMetric, metrics};
pub use output::{ResultsError, check_output_folder, read_results, write_results};
pub use promptfoo::promptfoo;
pub use result::{
    BatchSummary, BatchTotals, EvaluationResult, IssueCounts, START_STAGGER, TokenCount, parse_package_list,
    start_delay,
};
pub use snapshots::{
    IterationSnapshot, SnapshotComparison, SnapshotError, SnapshotFolder, SnapshotSummary, compare_snapshots,
    read_snapshot,
};
pub use text::{comparison_table, summary_table};
