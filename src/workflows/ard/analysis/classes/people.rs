//! Reads the people of a statement.

use super::super::IdeaPhrase;
use super::super::clauses::{Span, is_person};
use super::super::tokens::{Token, WordClass};
use super::StatementReader;

impl StatementReader<'_> {
    /// Adds the groups of people in a range of tokens as actors.
    pub(super) fn actor(&mut self, span: Span) {
        // "Every week the team reads …": the time is no part of the name.
        let begins =
            |at: usize, words: &'static str| self.tokens[span.clone()].get(at).is_some_and(|it| it.is(words));
        let has_time =
            begins(0, " every each ") && begins(1, " second minute hour day week month year night morning ");
        let span = if has_time { span.start + 2..span.end } else { span };
        // "Members of a choir" are members; "swaps between volunteers" are no people.
        let is_link = |it: &Token<'_>| matches!(it.speech, WordClass::Preposition | WordClass::To);
        let link = self.tokens[span.clone()].iter().position(is_link).map(|at| span.start + at);
        if link.is_some_and(|at| !self.is_person(&(span.start..at))) {
            return;
        }
        let span = span.start..link.unwrap_or(span.end);
        for group in self.tokens[span].split(Token::is_conjunction) {
            let is_name = |it: &&Token<'_>| {
                !matches!(
                    it.speech,
                    WordClass::Article | WordClass::Number | WordClass::Mark | WordClass::Adverb
                ) && !it.is(" today tomorrow tonight ")
            };
            let words: Vec<&str> = group.iter().filter(is_name).map(|it| it.text).collect();
            if !words.is_empty() {
                self.found += 1;
                self.analysis.actors.push(IdeaPhrase { text: words.join(" "), statement: self.statement });
            }
        }
    }

    pub(super) fn is_person(&self, span: &Span) -> bool {
        let head = self.tokens[span.clone()]
            .iter()
            .rfind(|it| matches!(it.speech, WordClass::Noun | WordClass::Pronoun));
        head.is_some_and(|head| is_person(&head.lower) || head.is(" everyone anyone somebody someone "))
    }
}
