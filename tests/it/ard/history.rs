//! What of the history goes into a prompt.

use stategraph::workflows::ard::{
    exchange::{
        Category, Condensed, Recall, Recalled, Review, Summary, SummaryRequest, VERBATIM_ROUNDS, recall,
        tokens,
    },
    offline::summarise,
};

fn rounds(count: usize) -> Vec<Review> {
    (1..=count)
        .map(|number| Review::of([(Category::Completeness, format!("Where is part {number}?"))]))
        .collect()
}

fn condensed(rounds_covered: usize) -> Condensed {
    Condensed { paragraph: format!("The first {rounds_covered}."), rounds_covered }
}

#[test]
fn a_history_within_the_limit_goes_whole() {
    // ARD-29, ARD-52, ENG-20: one token less, exactly, one more
    let history = rounds(5);
    let needed = u32::try_from(tokens(&history)).expect("few");
    for (limit, whole) in [(needed - 1, false), (needed, true), (needed + 1, true)] {
        let recalled = recall(&history, None, limit);
        assert_eq!(recalled == Recall::Ready(Recalled::verbatim(&history)), whole, "limit {limit}");
    }
}

#[test]
fn the_last_three_rounds_stay_verbatim() {
    // ARD-52, ENG-20
    for count in [0, VERBATIM_ROUNDS - 1, VERBATIM_ROUNDS] {
        let history = rounds(count);
        assert_eq!(recall(&history, None, 1), Recall::Ready(Recalled::verbatim(&history)), "{count} rounds");
    }
    let history = rounds(VERBATIM_ROUNDS + 1);
    let request = SummaryRequest { earlier: None, rounds: history[..1].to_vec() };
    assert_eq!(recall(&history, None, 1), Recall::Summarise(request));
    let ready = Recalled { earlier: Some(condensed(1)), rounds: history[1..].to_vec() };
    assert_eq!(recall(&history, Some(&condensed(1)), 1), Recall::Ready(ready));
}

#[test]
fn a_round_is_never_summarised_twice() {
    // ARD-54
    let mut kept: Option<Condensed> = None;
    let mut summarised = Vec::new();
    for count in 1..=9 {
        let history = rounds(count);
        let recalled = loop {
            match recall(&history, kept.as_ref(), 1) {
                Recall::Ready(recalled) => break recalled,
                Recall::Summarise(request) => {
                    summarised.extend(request.rounds.clone());
                    kept = Some(request.answered(&summarise(&request)));
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
    assert_eq!(recall(&history, Some(&condensed(4)), 1), Recall::Summarise(request));
}

#[test]
fn the_answer_becomes_one_paragraph() {
    // ARD-53
    let request = SummaryRequest { earlier: Some(condensed(2)), rounds: rounds(3) };
    let kept = request.answered(&Summary { paragraph: "First.\n\nThen\r\n second. ".to_owned() });
    assert_eq!(kept, Condensed { paragraph: "First. Then second.".to_owned(), rounds_covered: 5 });
}

#[test]
fn the_rules_summarise_by_counting() {
    // ARD-53
    let mut two = rounds(1);
    two.push(Review::of([
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
