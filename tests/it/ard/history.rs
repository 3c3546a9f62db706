//! The history in a prompt.

use stategraph::workflows::ard::{
    exchange::{
        Category, CondensedHistory, HistoryPlan, PromptHistory, Review, Summary, SummaryRequest,
        VERBATIM_ROUNDS, estimate_tokens, plan_history,
    },
    offline::summarise,
};

fn rounds(count: usize) -> Vec<Review> {
    (1..=count)
        .map(|number| Review::from_challenges([(Category::Completeness, format!("Where is part {number}?"))]))
        .collect()
}

fn condensed(rounds_covered: usize) -> CondensedHistory {
    CondensedHistory { paragraph: format!("The first {rounds_covered}."), rounds_covered }
}

#[test]
fn a_history_within_the_limit_goes_whole() {
    // ARD-29, ARD-52, ENG-20: one token less, exactly, one more
    let history = rounds(5);
    let needed = u32::try_from(estimate_tokens(&history)).expect("few");
    for (limit, whole) in [(needed - 1, false), (needed, true), (needed + 1, true)] {
        let recalled = plan_history(&history, None, limit);
        assert_eq!(recalled == HistoryPlan::Ready(PromptHistory::verbatim(&history)), whole, "limit {limit}");
    }
}

#[test]
fn the_last_three_rounds_stay_verbatim() {
    // ARD-52, ENG-20
    for count in [0, VERBATIM_ROUNDS - 1, VERBATIM_ROUNDS] {
        let history = rounds(count);
        assert_eq!(
            plan_history(&history, None, 1),
            HistoryPlan::Ready(PromptHistory::verbatim(&history)),
            "{count} rounds"
        );
    }
    let history = rounds(VERBATIM_ROUNDS + 1);
    let request = SummaryRequest { earlier: None, rounds: history[..1].to_vec() };
    assert_eq!(plan_history(&history, None, 1), HistoryPlan::Summarise(request));
    let ready = PromptHistory { earlier: Some(condensed(1)), rounds: history[1..].to_vec() };
    assert_eq!(plan_history(&history, Some(&condensed(1)), 1), HistoryPlan::Ready(ready));
}

#[test]
fn a_round_is_never_summarised_twice() {
    // ARD-54
    let mut kept: Option<CondensedHistory> = None;
    let mut summarised = Vec::new();
    for count in 1..=9 {
        let history = rounds(count);
        let recalled = loop {
            match plan_history(&history, kept.as_ref(), 1) {
                HistoryPlan::Ready(recalled) => break recalled,
                HistoryPlan::Summarise(request) => {
                    summarised.extend(request.rounds.clone());
                    kept = Some(request.condense(&summarise(&request)));
                }
            }
        };
        let covered = recalled.earlier.map_or(0, |earlier| earlier.rounds_covered);
        assert_eq!(covered + recalled.rounds.len(), count, "every round is there once");
        assert_eq!(recalled.rounds, history[covered..]);
    }
    assert_eq!(summarised, rounds(9)[..9 - VERBATIM_ROUNDS]);
}

#[test]
fn a_paragraph_from_a_later_point_is_not_used_after_a_fork() {
    let history = rounds(5);
    let request = SummaryRequest { earlier: None, rounds: history[..2].to_vec() };
    assert_eq!(plan_history(&history, Some(&condensed(4)), 1), HistoryPlan::Summarise(request));
}

#[test]
fn the_answer_becomes_one_paragraph() {
    // ARD-53
    let request = SummaryRequest { earlier: Some(condensed(2)), rounds: rounds(3) };
    let kept = request.condense(&Summary { paragraph: "First.\n\nThen\r\n second. ".to_owned() });
    assert_eq!(kept, CondensedHistory { paragraph: "First. Then second.".to_owned(), rounds_covered: 5 });
}

#[test]
fn the_rules_summarise_by_counting() {
    // ARD-53
    let mut two = rounds(1);
    two.push(Review::from_challenges([
        (Category::Ambiguity, "What is A?".to_owned()),
        (Category::Completeness, "Where is B?".to_owned()),
        (Category::Ambiguity, "What is C?".to_owned()),
    ]));
    let request = SummaryRequest { earlier: Some(condensed(2)), rounds: two };
    assert_eq!(
        summarise(&request).paragraph,
        "The first 2. Round 3 raised 1 completeness (first: Where is part 1?) \
         Round 4 raised 1 completeness, 2 ambiguity (first: What is A?)"
    );
}
