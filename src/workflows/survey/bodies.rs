//! The bodies of functions: excerpts of their code, named constants and literals, raised errors and exits, called names, and how much
//! their conditions decide. Reads the statements of the syntax tree.

mod callees;
mod ends;
mod excerpt;
mod rule_weights;
mod terms;
mod units;

pub(crate) use callees::WrittenCall;
pub(crate) use ends::is_exit;
pub(crate) use units::BodyCode;

use self::rule_weights::condition_weight;
use crate::repo::{CodeStatement, Language};

/// Maximum number of terms of a function.
const TERMS: usize = 8;
const ENDS: usize = 4;
/// Maximum number of conditions that count in the weight; each must weigh at least `LEAST`.
const CONDITIONS: usize = 3;
const LEAST: f64 = 2.3;
/// Maximum number of called names that are kept for a function.
const NAMES: usize = 60;

/// Statement that raises an error or ends the program: `throw ShopError`, `exit(2)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyEnd {
    pub(crate) line: usize,
    pub(crate) text: String,
    /// The innermost condition around it, with its keyword: `if a > 5`. It begins with `…` if others are around it. `None` outside of
    /// conditions.
    pub(crate) condition: Option<String>,
}

/// The body of a function. `read_body` makes it; the weights and the texts of definitions use it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionBody {
    /// Sum of the weights of the strongest conditions.
    pub(crate) condition_weight: f64,
    /// Named constants, and literals that look like keys or words, in the order of the text.
    pub(crate) terms: Vec<String>,
    /// Names that are called, as written before `(`.
    pub(crate) names: Vec<WrittenCall>,
    /// Raised errors and exits of the program.
    pub(crate) ends: Vec<BodyEnd>,
    /// The code, of which excerpts can be made.
    pub(crate) code: BodyCode,
}

/// Reads the body of a function. Statements on lines for which `is_other` returns true belong to functions inside it that are told
/// elsewhere; excerpts leave them out.
pub(crate) fn read_body(
    language: Language,
    statements: &[CodeStatement],
    is_other: &dyn Fn(usize) -> bool,
) -> FunctionBody {
    let code = BodyCode::of(language, statements, is_other);
    let mut found = FunctionBody::default();
    let mut weights: Vec<f64> = Vec::new();
    for (at, unit) in code.units.iter().enumerate().filter(|(_, unit)| !unit.is_other) {
        for (text, is_head) in unit.codes() {
            if is_head {
                weights.extend(Some(condition_weight(text)).filter(|weight| *weight >= LEAST));
            }
            if !unit.is_refused {
                terms::add(text, &mut found.terms, TERMS);
            }
            callees::add(text, &mut found.names, NAMES);
            // Code that calls a closure decides what becomes of its errors.
            let ends = if code.is_in_closure(at) { Vec::new() } else { ends::ends(language, text) };
            for end in ends {
                if found.ends.len() < ENDS && !found.ends.iter().any(|known| known.text == end) {
                    let condition = code.condition_around(at);
                    found.ends.push(BodyEnd { line: unit.line, text: end, condition });
                }
            }
        }
    }
    weights.sort_by(|a, b| b.total_cmp(a));
    found.condition_weight = weights.iter().take(CONDITIONS).sum();
    found.code = code;
    found
}

/// Returns true for code with a named constant (`MAX_SIZE`) or a string literal.
pub(crate) fn has_terms(code: &str) -> bool {
    terms::literals(code).next().is_some() || terms::words(code).any(terms::is_constant)
}

#[cfg(test)]
mod tests;
