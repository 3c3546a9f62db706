//! Templates of the agent (`agent/**/*.yml.hbs`): which variables they render. A variable that no template renders has no effect, even
//! where the manifest describes it.

use std::collections::BTreeSet;

use super::reader::{PackageEntry, PackageReader};
use super::{DataStream, PackageManifest, PackageVariable};

/// Ending of a template's name.
const TEMPLATE: &str = ".hbs";

/// Start of names that Fleet itself reads.
const FLEET: &str = "data_stream.";

/// Part of the settings that finished templates may leave out: one in so many.
const UNUSED_SHARE: usize = 5;

/// Words that the tags of one or more templates contain.
#[derive(Default)]
struct RenderedNames {
    templates: usize,
    names: BTreeSet<String>,
}

impl RenderedNames {
    fn read(reader: &mut PackageReader, folder: &str) -> Self {
        let mut rendered = Self::default();
        for name in reader.names(folder, PackageEntry::File) {
            if !name.ends_with(TEMPLATE) {
                continue;
            }
            let Some(text) = reader.text(&format!("{folder}/{name}")) else {
                // A template that cannot be read may render every variable.
                return Self::default();
            };
            rendered.templates += 1;
            rendered.names.extend(names_in_tags(&text));
        }
        rendered
    }

    fn merge(&mut self, other: Self) {
        self.templates += other.templates;
        self.names.extend(other.names);
    }

    fn mark(&self, variables: &mut [PackageVariable]) {
        // Without a template nothing is known about the variables.
        if self.templates == 0 {
            return;
        }
        for variable in variables {
            variable.is_unused =
                !variable.name.starts_with(FLEET) && !self.names.contains(variable.name.as_str());
        }
    }
}

/// Marks the variables that no template renders: those of a stream by the templates of its data stream, all others by every template.
pub(super) fn mark_unused(
    reader: &mut PackageReader,
    manifest: &mut PackageManifest,
    streams: &mut [DataStream],
) {
    let mut all = RenderedNames::read(reader, "agent/input");
    let mut is_complete = true;
    for stream in streams.iter_mut() {
        let own = RenderedNames::read(reader, &format!("data_stream/{}/agent/stream", stream.name));
        for input in &mut stream.inputs {
            own.mark(&mut input.variables);
        }
        is_complete &= own.templates > 0;
        all.merge(own);
    }
    // A stream whose template is missing or unreadable may render the variables of the whole package.
    if is_complete {
        all.mark(&mut manifest.variables);
        for template in &mut manifest.policy_templates {
            all.mark(&mut template.variables);
            template.inputs.iter_mut().for_each(|input| all.mark(&mut input.variables));
        }
    }
    // Templates that leave out a required setting, a secret or many settings are not finished, and say nothing about the others.
    let mut variables = all_variables(manifest, streams);
    let unused = variables.iter().filter(|variable| variable.is_unused);
    let (mut count, mut is_unfinished) = (0, false);
    for variable in unused {
        count += 1;
        is_unfinished |= variable.is_required || variable.is_secret;
    }
    if is_unfinished || count * UNUSED_SHARE > variables.len() {
        variables.iter_mut().for_each(|variable| variable.is_unused = false);
    }
}

fn all_variables<'a>(
    manifest: &'a mut PackageManifest,
    streams: &'a mut [DataStream],
) -> Vec<&'a mut PackageVariable> {
    let of_templates = manifest.policy_templates.iter_mut().flat_map(|template| {
        template.variables.iter_mut().chain(template.inputs.iter_mut().flat_map(|input| &mut input.variables))
    });
    let of_streams =
        streams.iter_mut().flat_map(|stream| &mut stream.inputs).flat_map(|input| &mut input.variables);
    manifest.variables.iter_mut().chain(of_templates).chain(of_streams).collect()
}

/// Returns the words in the tags of a Handlebars template, without those of comments. Dotted names count whole and by their first part.
fn names_in_tags(template: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        rest = &rest[start + 2..];
        let end = if rest.starts_with("!--") { "--}}" } else { "}}" };
        let (tag, behind) = rest.split_once(end).unwrap_or((rest, ""));
        rest = behind;
        if tag.starts_with('!') {
            continue;
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        for word in tag.split(|c: char| !is_name(c)).filter(|word| !word.is_empty()) {
            names.insert(word.to_owned());
            if let Some((first, _)) = word.split_once('.') {
                names.insert(first.to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_tags_outside_comments() {
        let found = names_in_tags(
            "a: {{ host }}\n{{#if (eq mode \"x\")}}b: {{{ssl.key}}}{{/if}}\n{{! gone }}{{!-- {{ lost }} --}}c: plain {{~#each tags as |tag|}}",
        );
        for name in ["host", "mode", "ssl.key", "ssl", "tags"] {
            assert!(found.contains(name), "{name}");
        }
        for name in ["gone", "lost", "plain", "a"] {
            assert!(!found.contains(name), "{name}");
        }
    }
}
