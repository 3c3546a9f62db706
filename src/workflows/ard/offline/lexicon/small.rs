//! Small words: those that hold a sentence together.

/// What a small word does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Small {
    /// a, the, my, each
    Determiner,
    /// it, they, users of "who"
    Pronoun,
    /// in, on, of
    Preposition,
    /// to
    To,
    /// and, or, but
    And,
    /// that, which, who
    Relative,
    /// when, if, so: what follows is a condition or a reason
    When,
    /// can, should, will
    Modal,
    /// is, are, was
    Be,
    /// has, have
    Have,
    /// want, use, make: says that something is wished or used, names no part
    Light,
    /// not, never
    Not,
    /// then, also, automatically
    Adverb,
}

use Small::{Adverb, And, Be, Determiner, Have, Light, Modal, Not, Preposition, Pronoun, Relative, To, When};

/// The role of a word in lower case, if it is a small one.
pub(in super::super) fn small(word: &str) -> Option<Small> {
    Some(match word {
        "a" | "an" | "the" | "this" | "these" | "those" | "my" | "our" | "your" | "their" | "his" | "her"
        | "its" | "each" | "every" | "all" | "any" | "some" | "no" | "another" | "both" | "several"
        | "many" | "few" | "more" | "most" | "other" | "such" | "one" | "two" | "three" | "four" | "five"
        | "six" | "seven" | "eight" | "nine" | "ten" | "own" | "same" | "multiple" | "various" | "much" => {
            Determiner
        }
        "it" | "they" | "we" | "i" | "you" | "he" | "she" | "them" | "us" | "me" | "him" | "there"
        | "everyone" | "anyone" | "someone" | "everything" | "anything" | "something" | "nobody"
        | "nothing" | "what" | "himself" | "itself" | "themselves" | "myself" => Pronoun,
        "in" | "on" | "of" | "for" | "from" | "with" | "without" | "by" | "at" | "as" | "into" | "onto"
        | "over" | "under" | "about" | "between" | "through" | "via" | "per" | "within" | "across"
        | "against" | "among" | "around" | "during" | "like" | "near" | "off" | "out" | "up" | "down"
        | "above" | "below" | "behind" | "beyond" | "than" | "toward" | "towards" | "since" | "back"
        | "along" | "round" => Preposition,
        "to" => To,
        "and" | "or" | "but" | "nor" | "plus" | "yet" => And,
        "that" | "which" | "who" | "whose" | "whom" | "where" => Relative,
        "when" | "whenever" | "if" | "once" | "while" | "because" | "after" | "before" | "until"
        | "unless" | "so" | "whether" | "although" | "though" | "how" | "why" => When,
        "can" | "could" | "should" | "must" | "may" | "might" | "will" | "would" | "shall" | "do"
        | "does" | "did" | "i'd" | "we'd" | "let's" | "they'll" | "it'll" => Modal,
        "is" | "are" | "was" | "were" | "be" | "been" | "being" | "get" | "gets" | "got" | "it's" | "i'm"
        | "we're" | "becomes" | "become" | "remain" | "remains" | "stay" | "stays" => Be,
        "has" | "have" | "had" | "having" | "contains" | "contain" | "consists" | "consist" | "includes"
        | "include" => Have,
        "want" | "wants" | "wanted" | "need" | "needs" | "needed" | "wish" | "wishes" | "use" | "uses"
        | "used" | "using" | "make" | "makes" | "making" | "made" | "put" | "puts" | "know" | "knows"
        | "try" | "tries" | "cross" | "crosses" | "exceeds" | "falls" | "exists" | "exist" | "belongs"
        | "belong" | "based" | "d" | "doing" | "done" => Light,
        "not" | "never" | "don't" | "doesn't" | "cannot" | "can't" | "won't" | "mustn't" | "shouldn't"
        | "neither" => Not,
        "then" | "also" | "automatically" | "always" | "only" | "just" | "too" | "very" | "even"
        | "again" | "later" | "soon" | "often" | "sometimes" | "usually" | "immediately" | "instantly"
        | "quickly" | "easily" | "still" | "already" | "together" | "here" | "well" | "instead" | "first"
        | "finally" | "afterwards" | "otherwise" | "manually" | "please" | "today" | "directly" | "away"
        | "really" | "simply" | "periodically" | "regularly" | "continuously" | "securely" | "nightly"
        | "now" | "next" | "e.g" | "i.e" | "etc" => Adverb,
        _ => return None,
    })
}
