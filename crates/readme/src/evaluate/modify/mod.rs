//! Pure steps of a modification (SEC-145, 146, 171): the scope of a request, the sections that are written
//! again, and their replacement in the document. A model may be asked for the scope; its answer is
//! converted here.

mod analysis;
mod replace;

pub use analysis::{
    ModificationAnalysis, ModificationAnswer, ModificationScope, ScopeAnswer, analyze_request,
};
pub use replace::{KeptSection, ModifiedDocument, replace_sections, sections_to_regenerate};

/// Minimum confidence of a scope; below it, the request is taken to mean the whole document (SEC-145).
pub const MINIMUM_CONFIDENCE: f64 = 0.6;
