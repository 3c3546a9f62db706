//! Sentences of requirements keep the subject and all words of their statement, or quote it whole.

use stategraph::workflows::ard::analysis::IdeaAnalysis;

/// Returns what was made of an idea: requirements (`R`), constraints (`C`), exclusions (`X`), in the order of the statements.
fn lines(idea: &str) -> Vec<String> {
    let analysis = IdeaAnalysis::of(idea);
    let mut found = Vec::new();
    for statement in &analysis.statements {
        let number = statement.number;
        let requirements = analysis.requirements.iter().filter(|it| it.statement == number);
        found.extend(requirements.map(|it| format!("R {}", it.text)));
        let constraints = analysis.constraints.iter().filter(|it| it.statement == number);
        found.extend(constraints.map(|it| format!("C {}", it.text)));
        let exclusions = analysis.exclusions.iter().filter(|it| it.statement == number);
        found.extend(exclusions.map(|it| format!("X {}", it.text)));
    }
    found
}

#[test]
fn a_subject_that_stands_in_the_statement_is_kept() {
    let idea = "A web app for an allotment club. People wait for a plot; they have 7 days to accept. The app lists who has not paid. \
                We take no payments online. Nobody may hold two plots. A film of 2,000 blocks takes less than a second.";
    assert_eq!(
        lines(idea)[1..],
        [
            "R People wait for a plot.",
            "R They have 7 days to accept.",
            "R The app lists who has not paid.",
            "C We take no payments online",
            "C Nobody may hold two plots",
            "R A film of 2,000 blocks takes less than a second.",
        ]
    );
}

#[test]
fn nouns_that_look_like_verbs_are_not_made_verbs() {
    let idea = "An app for a kitchen. Relatives call the office to pause or change; changes until 7:00 count for the same day. \
                At 8:00 each driver gets the route: stops, address, notes such as \"ring twice\". \
                The statistics for the manager: found, returned and sold things a month.";
    assert_eq!(
        lines(idea)[1..],
        [
            "R Relatives call the office to pause or change.",
            "R Changes until 7:00 count for the same day.",
            "R At 8:00 each driver gets the route: stops, address, notes such as \"ring twice\".",
            "R The statistics for the manager: found, returned and sold things a month.",
        ]
    );
    let list = "A link checker.\n\n- Checks anchors, images and redirects\n- Go 1.22 or later\n";
    assert_eq!(lines(list), ["R Checks anchors, images and redirects.", "R Go 1.22 or later."]);
}

#[test]
fn a_negation_inside_a_sentence_rules_nothing_out() {
    let idea = "A tool that plans the night of a telescope. The service makes a plan: no two targets at once. \
                High priority beats low priority within a group, not between groups. What does not fit is reported, not cut. \
                Drivers work where there is no mobile network. No accounts.";
    let found = lines(idea);
    let excluded: Vec<&String> = found.iter().filter(|line| line.starts_with('X')).collect();
    assert_eq!(excluded, ["X accounts"], "{found:?}");
    assert!(found.contains(&"R What does not fit is reported, not cut.".to_owned()), "{found:?}");
    assert_eq!(IdeaAnalysis::of(idea).contradictions().count(), 0);
}

#[test]
fn what_people_do_is_a_requirement_and_never_the_product() {
    let idea = "Lost and found for a bus company. People who lost something fill in a web form in German or English. \
                During the night the operator marks each exposure as good or bad.";
    assert_eq!(
        lines(idea)[1..],
        [
            "R People who lost something fill in a web form in German or English.",
            "R During the night the operator marks each exposure as good or bad.",
        ]
    );
    let wanted = IdeaAnalysis::of(
        "Our club has a waiting list on paper. I want a small web app for it. Members see their place.",
    );
    assert_eq!(wanted.product.as_deref(), Some("a small web app"));
    assert!(wanted.requirements.iter().all(|it| !it.text.contains("for it")), "{:?}", wanted.requirements);
}

#[test]
fn the_end_of_a_word_is_no_open_end_of_a_list() {
    let analysis =
        IdeaAnalysis::of("A tool that stretches times, sketches plans and sorts blocks, frames etc.");
    let open: Vec<_> =
        analysis.vague_words().into_iter().filter(|it| it.text.contains("ends with")).collect();
    assert_eq!(open.len(), 1);
    let analysis = IdeaAnalysis::of("A tool that stretches times and sketches plans.");
    assert!(analysis.vague_words().is_empty());
}

#[test]
fn a_wish_for_one_thing_and_not_another_leaves_the_other_out() {
    let idea = "It should be a website, not a shop. Operators may silence a station, but not a whole site.";
    let excluded: Vec<String> = lines(idea).into_iter().filter(|line| line.starts_with("X ")).collect();
    assert_eq!(excluded, ["X shop"]);
}

#[test]
fn a_long_idea_of_like_statements_is_read_whole() {
    let statements = (0..500).map(|number| {
        format!("Members see item {number} of the list within {number} seconds. No photos of item {number}. ")
    });
    let idea = statements.collect::<Vec<_>>().concat();
    let analysis = IdeaAnalysis::of(&idea);
    assert_eq!((analysis.statements.len(), analysis.unread_bytes), (1_000, 0));
}

#[test]
fn a_word_behind_the_pronoun_of_a_clause_is_its_verb() {
    let idea = "A module for a shop. It stores invoices in a database. They book rooms. Orders come in, and it checks them.";
    assert_eq!(
        lines(idea)[1..],
        [
            "R The system stores invoices in a database.",
            "R They book rooms.",
            "R Orders come in.",
            "R The system checks the orders."
        ]
    );
}
