//! What the compiler says about states, choices and nodes that cannot work: one readable error each. Here and not beside the other
//! tests, so that it is the engine alone that is built once more for it.

// DESIGN decision 1, STYLE rule 8, ENG-2, ENG-3
#[test]
fn what_cannot_be_a_state_a_choice_or_a_node_is_a_readable_error() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
