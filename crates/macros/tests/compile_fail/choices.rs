//! A choice is one of several labels.
use stategraph_core::Choice;

#[derive(Choice, Clone, Copy)]
enum WithData {
    Yes,
    No(u32),
}

#[derive(Choice, Clone, Copy)]
enum Empty {}

#[derive(Choice, Clone, Copy)]
struct NoEnum;

#[derive(Choice, Clone, Copy)]
enum Twice {
    Again,
    #[choice("again")]
    OnceMore,
}

fn main() {}
