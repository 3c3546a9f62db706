//! Five scores of a document and their weighted sum (SEC-132, 135, 136). The scores are counted in `measure.rs`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::measure;
use crate::document::parse;
use crate::package::IntegrationPackage;
use crate::validate::{Validation, ValidationStage};

/// Score, in points of 100, of a metric that cannot be judged: accuracy without a package, or writing that
/// no validator checked (SEC-135).
pub(super) const UNJUDGED: f64 = 50.0;

/// A quality metric, for which a document has a score from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QualityMetric {
    /// Required sections, recommended sub-sections, levels of the headings.
    Structure,
    /// Agreement with the package.
    Accuracy,
    /// Content of the sections that a reader works with, such as set-up and troubleshooting.
    Completeness,
    /// Style of the writing.
    Quality,
    /// Absence of placeholders for missing text.
    Placeholders,
    /// Weighted sum of the others.
    Composite,
}

impl QualityMetric {
    /// All metrics, the composite last.
    pub const ALL: [Self; 6] = [
        Self::Structure,
        Self::Accuracy,
        Self::Completeness,
        Self::Quality,
        Self::Placeholders,
        Self::Composite,
    ];

    /// Returns the validation stage whose issues are about the same quality; `None` for the composite.
    pub fn stage(self) -> Option<ValidationStage> {
        match self {
            Self::Structure => Some(ValidationStage::Structure),
            Self::Accuracy => Some(ValidationStage::Accuracy),
            Self::Completeness => Some(ValidationStage::Completeness),
            Self::Quality => Some(ValidationStage::Quality),
            Self::Placeholders => Some(ValidationStage::Placeholders),
            Self::Composite => None,
        }
    }

    /// Returns the weight of the metric in the composite score, such as 0.30; 1 for the composite itself
    /// (SEC-136).
    pub fn weight(self) -> f64 {
        match self {
            Self::Structure => 0.20,
            Self::Accuracy => 0.30,
            Self::Completeness => 0.25,
            Self::Quality => 0.15,
            Self::Placeholders => 0.10,
            Self::Composite => 1.0,
        }
    }
}

impl fmt::Display for QualityMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stage() {
            Some(stage) => stage.fmt(f),
            None => f.write_str("composite"),
        }
    }
}

/// The quality scores of a document, each 0 to 100 with two decimals; [`metrics`] calculates them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct DocumentMetrics {
    /// 60 for the share of required parts, 20 for that of recommended parts, 20 for that of headings in order.
    pub structure: f64,
    /// 20 for the name of the package, 20 for its title, 40 for the share of data streams, 20 for that of fields; 50 without a package.
    pub accuracy: f64,
    /// 25 for the set-up, 15 each for data, prerequisites, troubleshooting, performance and reference.
    pub completeness: f64,
    /// 100 less the penalties for unfinished work, vague words, passive voice and short sections; 50 if no validator read the text.
    pub quality: f64,
    /// 100 less 5 for each placeholder; 50 if no validator read the text.
    pub placeholders: f64,
    /// Weighted sum of the five.
    pub composite: f64,
}

impl DocumentMetrics {
    /// Builds the metrics from the five scores in the order of [`QualityMetric::ALL`], clamped to 0 to 100
    /// and rounded. The composite is computed from them.
    pub fn of_scores(scores: [f64; 5]) -> Self {
        let [structure, accuracy, completeness, quality, placeholders] =
            scores.map(|score| round(score.clamp(0.0, 100.0), 2));
        let mut metrics = Self { structure, accuracy, completeness, quality, placeholders, composite: 0.0 };
        let parts = &QualityMetric::ALL[..5];
        metrics.composite = round(parts.iter().map(|part| part.weight() * metrics.score(*part)).sum(), 2);
        metrics
    }

    /// Returns the score of one metric, 0 to 100.
    pub fn score(&self, metric: QualityMetric) -> f64 {
        match metric {
            QualityMetric::Structure => self.structure,
            QualityMetric::Accuracy => self.accuracy,
            QualityMetric::Completeness => self.completeness,
            QualityMetric::Quality => self.quality,
            QualityMetric::Placeholders => self.placeholders,
            QualityMetric::Composite => self.composite,
        }
    }

    /// Returns the average of each metric over several documents; `None` if there are none.
    pub fn average<'a>(all: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let all: Vec<&Self> = all.into_iter().collect();
        if all.is_empty() {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "no batch has 2^52 packages")]
        let count = all.len() as f64;
        let mean = |metric| round(all.iter().map(|one| one.score(metric)).sum::<f64>() / count, 2);
        Some(Self {
            structure: mean(QualityMetric::Structure),
            accuracy: mean(QualityMetric::Accuracy),
            completeness: mean(QualityMetric::Completeness),
            quality: mean(QualityMetric::Quality),
            placeholders: mean(QualityMetric::Placeholders),
            composite: mean(QualityMetric::Composite),
        })
    }
}

/// Calculates the scores of a document. `validations` are the results of the validators on the same text:
/// writing and placeholders are scored by their issues, so that scores and validators never disagree.
/// Without a package, the structure is compared with the built-in template, and the accuracy is 50.
///
/// ```
/// use stategraph_readme::evaluate::metrics;
///
/// let scores = metrics("# Nginx\n\n## Overview\n\nCollects logs of Nginx.\n", &[], None);
/// assert_eq!(scores.accuracy, 50.0);
/// ```
pub fn metrics(
    text: &str,
    validations: &[Validation],
    package: Option<&IntegrationPackage>,
) -> DocumentMetrics {
    let document = parse(text);
    DocumentMetrics::of_scores([
        measure::structure(text, &document, package),
        package.map_or(UNJUDGED, |package| measure::accuracy(text, package)),
        measure::completeness(&document, package),
        measure::quality(validations),
        measure::placeholders(validations),
    ])
}

/// Rounds `value` to this number of decimals, so that equal documents have equal bytes in every report.
pub(super) fn round(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    // Plus zero, because the rounded difference of equal scores may be minus zero.
    (value * scale).round() / scale + 0.0
}
