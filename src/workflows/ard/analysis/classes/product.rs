//! Reads the noun phrase for the product: as its name only, or as a requirement if it says more.

use super::super::clauses::Span;
use super::super::lexicon;
use super::super::tokens::{Token, WordClass};
use super::StatementReader;
use super::phrases::{lower_article, lower_word, with_article};

impl StatementReader<'_> {
    /// Stores the first phrase as the name of the product, and adds a requirement or a part where the
    /// phrase says more. `acts` and `has_parts` tell that the statement has actions or parts; a phrase
    /// in a list (`is_fragment`) is a part.
    pub(super) fn product(&mut self, span: Span, acts: bool, has_parts: bool, is_fragment: bool) {
        let nouns: Vec<&Token<'_>> = self.tokens[span.clone()]
            .iter()
            .filter(|it| {
                !matches!(
                    it.speech,
                    WordClass::Article | WordClass::Number | WordClass::Pronoun | WordClass::Mark
                )
            })
            .collect();
        if nouns.is_empty() {
            return;
        }
        // "People who lost something fill in a form": they act, and are no product.
        let is_plural = |it: &&Token<'_>| {
            it.is(" people ") || lexicon::noun(&it.lower).is_some_and(|noun| noun.is_plural)
        };
        if self.is_person(&span) && nouns.last().is_some_and(is_plural) && !is_fragment {
            self.is_unsure = true;
            return self.actor(span);
        }
        // "I want a small web app for it": the words say no more than the name.
        let says_nothing = self.tokens[span.end..]
            .iter()
            .all(|it| it.speech == WordClass::Mark || it.is(" for it this that them us me him her "));
        if says_nothing && span.end < self.tokens.len() && !has_parts && self.analysis.product.is_none() {
            self.found += 1;
            self.analysis.product = Some(self.slice(span));
            return;
        }
        if self.has_quantity(&span) && nouns.len() <= 2 {
            self.found += 1;
            return;
        }
        let is_first = self.analysis.product.is_none();
        let is_later_part = !is_first && !has_parts && self.tokens[span.start].is(" a an ");
        if (is_fragment || is_later_part) && !acts {
            return self.part(if is_fragment { span } else { span.start..self.tokens.len() });
        }
        if is_first {
            self.analysis.product = Some(self.slice(span.clone()));
        }
        let modifiers =
            nouns[..nouns.len() - 1].iter().filter(|it| it.speech != WordClass::Adjective).count();
        let is_sentence = is_first && span.start < 3 && !has_parts && nouns.len() > 1;
        if !acts && modifiers > 0 && (has_parts || is_sentence) {
            let end = if has_parts { span.end } else { self.tokens.len() };
            let phrase = lower_article(&self.slice(span.start..end));
            let topic = self.topic(&span).unwrap_or_else(|| phrase.clone());
            let has_article = self.tokens[span.start].speech == WordClass::Article;
            let is_plural =
                nouns.last().is_some_and(|it| lexicon::noun(&it.lower).is_some_and(|noun| noun.is_plural));
            if is_plural && !has_article {
                let phrase = self.slice(span.start..self.tokens.len());
                return self.require(
                    format!("The system has {}.", lower_word(&phrase)),
                    String::new(),
                    topic,
                    true,
                );
            }
            let phrase = if has_article { phrase } else { with_article(&phrase) };
            return self.require(format!("The system is {phrase}."), String::new(), topic, true);
        }
        if acts || has_parts || is_first {
            self.found += 1;
        }
    }

    /// Stores a first statement without a verb as the name of the product, and adds it as a requirement
    /// if it says more than a name.
    pub(super) fn product_phrase(&mut self, span: &Span) {
        let phrase = self.slice(span.clone());
        self.analysis.product = Some(phrase.clone());
        let says_more = self.has_quantity(span)
            || self.tokens[span.clone()].iter().any(|it| it.speech == WordClass::Relative)
            || self.tokens[span.clone()].iter().skip(1).any(|it| it.text.starts_with(char::is_uppercase));
        let says_more = says_more && !self.tokens[span.clone()].iter().any(|it| it.is(" like "));
        if !says_more {
            self.found += 1;
            return;
        }
        // "Meals on wheels: 30 drivers bring …" is a sentence, whatever its beginning looks like.
        self.is_unsure |= self.tokens[span.clone()].iter().any(|it| it.is(" : ( - – "));
        let topic = self.topic(span).unwrap_or_default();
        let head = topic.rsplit(' ').next().unwrap_or_default().to_lowercase();
        let text = if lexicon::noun(&head).is_some_and(|noun| noun.is_plural) {
            format!("The system has {}.", lower_word(&phrase))
        } else {
            format!("The system is {}.", with_article(&phrase))
        };
        self.require(text, String::new(), topic, true);
    }
}
