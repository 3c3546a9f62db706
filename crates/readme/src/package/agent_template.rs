//! Templates of the Elastic Agent's configuration (`agent/**/*.yml.hbs`): which variables of a package they
//! use, and under which switches. A variable that no template uses has no effect, even where the manifest
//! describes it.

use std::collections::{BTreeMap, BTreeSet};

use super::handlebars::{Switches, names_in_tags};
use super::reader::{PackageEntry, PackageReader};
use super::{DataStream, PackageManifest, PackageVariable};

/// File extension of a template.
const TEMPLATE: &str = ".hbs";

/// Prefix of the names of variables that Fleet itself reads, so that no template needs to use them.
const FLEET: &str = "data_stream.";

/// Divisor: if more than a fifth of all variables are used by no template, the templates count as
/// unfinished, and no variable is marked as unused.
const UNUSED_SHARE: usize = 5;

/// The names that appear in the tags of one or more templates, each with the switches that all of its uses
/// need, and the number of those templates.
#[derive(Default)]
struct RenderedNames {
    templates: usize,
    names: BTreeMap<String, Switches>,
}

/// The templates of a folder: by file name, the names in the tags of each; `None` for a file that cannot be
/// read.
struct TemplateFolder(BTreeMap<String, Option<BTreeMap<String, Switches>>>);

impl TemplateFolder {
    /// Reads the templates (`*.hbs`) directly in `folder`. `switches` are the names of the boolean
    /// variables of the package.
    fn read(reader: &mut PackageReader, folder: &str, switches: &BTreeSet<String>) -> Self {
        let mut names = reader.names(folder, PackageEntry::File);
        names.retain(|name| name.ends_with(TEMPLATE));
        let mut read =
            |name: &String| Some(names_in_tags(&reader.text(&format!("{folder}/{name}"))?, switches));
        Self(names.iter().map(|name| (name.clone(), read(name))).collect())
    }

    /// Returns the names in the tags of all templates, or only of the template with the file name
    /// `template`. The result is empty if one of these files cannot be read, because that file may use any
    /// variable.
    fn names(&self, template: Option<&str>) -> RenderedNames {
        let mut rendered = RenderedNames::default();
        for (_, names) in self.0.iter().filter(|(name, _)| template.is_none_or(|only| only == **name)) {
            let Some(names) = names else { return RenderedNames::default() };
            rendered.templates += 1;
            rendered.add(names.clone());
        }
        rendered
    }
}

impl RenderedNames {
    fn merge(&mut self, other: Self) {
        self.templates += other.templates;
        self.add(other.names);
    }

    fn add(&mut self, names: BTreeMap<String, Switches>) {
        for (name, switches) in names {
            self.names
                .entry(name)
                .and_modify(|known| known.retain(|switch, state| switches.get(switch) == Some(state)))
                .or_insert(switches);
        }
    }

    fn mark(&self, variables: &mut [PackageVariable]) {
        // Without a template nothing is known about the variables.
        if self.templates == 0 {
            return;
        }
        for variable in variables {
            match self.names.get(&variable.name) {
                Some(switches) => variable.switches.clone_from(switches),
                None => variable.is_unused = !variable.name.starts_with(FLEET),
            }
        }
    }
}

/// Sets the fields `is_unused`, `unused_streams` and `switches` of all variables by the agent's templates:
/// variables of a data stream by the templates of that stream, all others by all templates. Marks nothing
/// as unused if the templates look unfinished: they leave out a required or secret variable, or more than a
/// fifth of all variables.
pub(super) fn mark_unused(
    reader: &mut PackageReader,
    manifest: &mut PackageManifest,
    streams: &mut [DataStream],
) {
    let switches: BTreeSet<String> = all_variables(manifest, streams)
        .iter()
        .filter(|variable| variable.kind == "bool")
        .map(|variable| variable.name.clone())
        .collect();
    let mut all = TemplateFolder::read(reader, "agent/input", &switches).names(None);
    let mut is_complete = true;
    let common: BTreeSet<String> = all.names.keys().cloned().collect();
    let mut by_stream: Vec<(String, BTreeSet<String>)> = Vec::new();
    for stream in streams.iter_mut() {
        let folder = format!("data_stream/{}/agent/stream", stream.name);
        let templates = TemplateFolder::read(reader, &folder, &switches);
        let own = templates.names(None);
        for input in &mut stream.inputs {
            // Fleet renders this template for the input, and no other of the folder.
            if templates.0.contains_key(&input.template) {
                templates.names(Some(&input.template)).mark(&mut input.variables);
            } else {
                own.mark(&mut input.variables);
            }
        }
        is_complete &= own.templates > 0;
        by_stream.push((stream.name.clone(), own.names.keys().cloned().collect()));
        all.merge(own);
    }
    // A stream whose template is missing or unreadable may render the variables of the whole package.
    if is_complete {
        all.mark(&mut manifest.variables);
        for template in &mut manifest.policy_templates {
            all.mark(&mut template.variables);
            template.inputs.iter_mut().for_each(|input| all.mark(&mut input.variables));
        }
        let of_templates = manifest.policy_templates.iter_mut().filter(|it| it.data_streams.is_empty());
        let shared = of_templates.flat_map(|template| &mut template.variables);
        let may_be_unused = |it: &&mut PackageVariable| !it.is_unused && !it.name.starts_with(FLEET);
        for variable in manifest.variables.iter_mut().chain(shared).filter(may_be_unused) {
            let name = &variable.name;
            let is_unused = |names: &BTreeSet<String>| !names.contains(name) && !common.contains(name);
            let unused = by_stream.iter().filter(|(_, names)| is_unused(names));
            variable.unused_streams = unused.map(|(stream, _)| stream.clone()).collect();
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
        for variable in &mut variables {
            variable.is_unused = false;
            variable.unused_streams.clear();
            variable.switches.clear();
        }
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
