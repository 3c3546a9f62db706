//! Reads the elements of a page that are written in HTML: headings, anchors, links, images, code, comments.

use std::ops::Range;

use super::super::html::{HtmlToken, attribute, tokenize};
use super::super::{PageHeading, PageLink};
use super::PartsReader;

impl PartsReader<'_, '_> {
    pub(super) fn push_html(&mut self, range: Range<usize>) {
        let text = self.text;
        for token in tokenize(&text[range.clone()]) {
            match token {
                HtmlToken::Comment { text, at } => {
                    let start = range.start + at;
                    self.parts.comments.push((start..start + text.len(), text));
                }
                HtmlToken::Open { name, attributes, at } => {
                    self.open_tag(&name, &attributes, range.start + at);
                }
                HtmlToken::Close { name } => self.close_tag(&name),
                HtmlToken::Text { text, .. } => {
                    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    if !text.is_empty() {
                        self.push_visible(&text, false);
                    }
                }
            }
        }
    }

    fn open_tag(&mut self, name: &str, attributes: &[(String, &str)], at: usize) {
        let value = |name: &str| attribute(attributes, name);
        self.parts.html_ids.extend(value("id").into_iter().chain(value("name")).map(str::to_owned));
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.as_bytes()[1] - b'0';
                let is_nested = self.quotes > 0;
                self.html_heading =
                    Some(PageHeading { level, title: String::new(), at, is_html: true, is_nested });
            }
            "a" if value("href").is_some() => {
                self.html_link = Some(self.parts.links.len());
                self.push_html_link(value("href").unwrap_or_default(), at, String::new(), false);
            }
            "img" => {
                let is_hidden = value("aria-hidden") == Some("true")
                    || matches!(value("role"), Some("presentation" | "none"));
                let number = self.parts.links.len();
                self.push_html_link(
                    value("src").unwrap_or_default(),
                    at,
                    value("alt").unwrap_or_default().to_owned(),
                    true,
                );
                self.parts.links[number].lacks_alt = value("alt").is_none() && !is_hidden;
                for link in self.outer_links() {
                    let link = &mut self.parts.links[link];
                    link.has_image = true;
                    link.alt.push_str(value("alt").unwrap_or_default());
                }
            }
            "code" | "kbd" | "pre" | "samp" | "tt" | "var" => self.html_code += 1,
            _ => {}
        }
    }

    fn close_tag(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.parts.headings.extend(self.html_heading.take()),
            "a" => self.html_link = None,
            "code" | "kbd" | "pre" | "samp" | "tt" | "var" => {
                self.html_code = self.html_code.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn push_html_link(&mut self, target: &str, at: usize, text: String, is_image: bool) {
        self.parts.links.push(PageLink {
            text,
            alt: String::new(),
            target: target.to_owned(),
            at,
            end: at,
            is_image,
            is_html: true,
            is_autolink: false,
            has_image: false,
            lacks_alt: false,
        });
    }
}
