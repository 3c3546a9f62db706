//! Tags of a Handlebars template: the names in them, and the switches (boolean variables) that each name
//! depends on. Renders nothing.

use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of nested blocks whose switches are looked at. Templates nest a few; without a bound, the
/// work for one word would grow with the depth.
const BLOCKS: usize = 16;

/// Names of boolean variables with the value that each must have for a piece of the template to be
/// rendered.
pub(super) type Switches = BTreeMap<String, bool>;

/// Returns the names in the tags of a template, comments left out. Each has the switches, out of the given
/// names, that all of its uses depend on by an enclosing `{{#if x}}` (true) or `{{#unless x}}` (false). A
/// dotted name is returned whole and as its first component. Keywords such as `if` are returned too.
pub(super) fn names_in_tags(template: &str, switches: &BTreeSet<String>) -> BTreeMap<String, Switches> {
    let mut names = BTreeMap::new();
    let open = |blocks: &mut Vec<Option<(String, bool)>>, name: &str, state: Option<bool>| {
        let is_kept = blocks.len() < BLOCKS && switches.contains(name);
        blocks.push(state.filter(|_| is_kept).map(|state| (name.to_owned(), state)));
    };
    // The open blocks; `None` for anything but a plain switch.
    let mut blocks: Vec<Option<(String, bool)>> = Vec::new();
    for tag in tags(template) {
        let words = words(tag);
        match (tag.chars().next(), words.as_slice()) {
            (Some('/'), _) => {
                blocks.pop();
                continue;
            }
            (Some('#'), [head, name, ..]) => {
                record(&mut names, &words, &blocks);
                let state = match *head {
                    "if" => Some(true),
                    "unless" => Some(false),
                    _ => None,
                };
                open(&mut blocks, name, state.filter(|_| words.len() == 2));
                continue;
            }
            (Some('#'), _) => blocks.push(None),
            // `{{^name}}` opens a block for the other state, and `{{^}}` is an `else`.
            (Some('^'), [name, ..]) => {
                record(&mut names, &words, &blocks);
                open(&mut blocks, name, (words.len() == 1).then_some(false));
                continue;
            }
            (Some('^'), []) | (_, ["else"]) => flip(&mut blocks),
            (_, ["else", ..]) => {
                if let Some(last) = blocks.last_mut() {
                    *last = None;
                }
            }
            _ => {}
        }
        record(&mut names, &words, &blocks);
    }
    names
}

/// Inverts the value that the innermost open block requires of its switch, because an `{{else}}` follows.
/// Does nothing if that block depends on no switch.
fn flip(blocks: &mut [Option<(String, bool)>]) {
    if let Some(Some((_, state))) = blocks.last_mut() {
        *state = !*state;
    }
}

/// Returns the contents of all tags but comments, in order, without the marks `~` and `{` at their
/// beginning.
fn tags(template: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        rest = &rest[start + 2..];
        let end = if rest.starts_with("!--") { "--}}" } else { "}}" };
        let (tag, behind) = rest.split_once(end).unwrap_or((rest, ""));
        rest = behind;
        if !tag.starts_with('!') {
            found.push(tag.trim_start_matches(['~', '{', ' ']));
        }
    }
    found
}

fn words(tag: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    tag.split(|c: char| !is_name(c)).filter(|word| !word.is_empty()).collect()
}

/// Adds the words of a template tag to `names`, with the switches of the open blocks around it. A word that
/// is known already keeps only the switches that both uses depend on; a word never counts as a switch of
/// itself.
fn record(names: &mut BTreeMap<String, Switches>, words: &[&str], blocks: &[Option<(String, bool)>]) {
    let kept = &blocks[..blocks.len().min(BLOCKS)];
    let around: Switches = kept.iter().flatten().cloned().collect();
    for word in words {
        for name in [Some(*word), word.split_once('.').map(|(first, _)| first)].into_iter().flatten() {
            let own: Switches =
                around.iter().filter(|(switch, _)| *switch != name).map(|(a, b)| (a.clone(), *b)).collect();
            names
                .entry(name.to_owned())
                .and_modify(|known| known.retain(|switch, state| own.get(switch) == Some(state)))
                .or_insert(own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(template: &str) -> BTreeMap<String, Switches> {
        names_in_tags(template, &["bucket", "quiet", "a", "c", "d"].map(str::to_owned).into())
    }

    #[test]
    fn deep_nesting_keeps_a_bounded_number_of_switches() {
        let switches: BTreeSet<String> = (0..2_000).map(|at| format!("s{at}")).collect();
        let open = (0..2_000).fold(String::new(), |text, at| text + &format!("{{{{#if s{at}}}}}"));
        let found = names_in_tags(&format!("{open}{{{{x}}}}"), &switches);
        assert_eq!(found["x"].len(), BLOCKS);
        assert!(found.values().map(BTreeMap::len).sum::<usize>() <= 2_001 * BLOCKS);
    }

    #[test]
    fn names_are_those_of_tags_outside_comments() {
        let found = read(
            "a: {{ host }}\n{{#if (eq mode \"x\")}}b: {{{ssl.key}}}{{/if}}\n{{! gone }}{{!-- {{ lost }} --}}c: plain {{~#each tags as |tag|}}",
        );
        for name in ["host", "mode", "ssl.key", "ssl", "tags"] {
            assert_eq!(found.get(name), Some(&Switches::new()), "{name}");
        }
        for name in ["gone", "lost", "plain", "a"] {
            assert!(!found.contains_key(name), "{name}");
        }
    }

    #[test]
    fn a_name_needs_the_switches_around_all_of_its_places() {
        let found = read(
            "{{#if bucket}}{{#if arn}}a: {{arn}}{{/if}}{{#unless quiet}}{{both}}{{/unless}}{{else}}{{url}}{{both}}{{/if}}\
             {{#if a}}{{x}}{{else if b}}{{y}}{{/if}}{{#each tags}}{{#if bucket}}{{z}}{{/if}}{{/each}}\
             {{#if c}}{{on}}{{^}}{{off}}{{/if}}{{^d}}{{without}}{{/d}}",
        );
        let needs = |name: &str| found[name].iter().map(|(a, b)| (a.as_str(), *b)).collect::<Vec<_>>();
        assert_eq!(needs("arn"), [("bucket", true)]);
        assert_eq!(needs("url"), [("bucket", false)]);
        assert_eq!(needs("x"), [("a", true)]);
        assert_eq!(needs("z"), [("bucket", true)]);
        assert_eq!(
            [needs("on"), needs("off"), needs("without")],
            [[("c", true)], [("c", false)], [("d", false)]]
        );
        for free in ["both", "bucket", "y"] {
            assert!(found[free].is_empty(), "{free}: {found:?}");
        }
    }
}
