//! What the rules know of English: the words below and nothing else. Words that stand in no table count as nouns, so
//! text in other languages is read too, if less well.

mod nouns;
mod small;
mod verbs;

pub(super) use nouns::{
    is_filler, is_judgement, is_light_head, is_person, is_system, is_vague, part_kind, singular_is_itself,
};
pub(super) use small::{Small, small};
pub(super) use verbs::{LIGHT_VERBS, META_VERBS, MOVING_VERBS, Verb, verb};
