//! Templates of the agent (`agent/**/*.yml.hbs`): which variables they render, and under which switches. A variable that no template renders
//! has no effect, even where the manifest describes it.

use std::collections::{BTreeMap, BTreeSet};

use super::handlebars::{Switches, names_in_tags};
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
    names: BTreeMap<String, Switches>,
}

impl RenderedNames {
    fn read(reader: &mut PackageReader, folder: &str) -> Self {
        let mut names = reader.names(folder, PackageEntry::File);
        names.retain(|name| name.ends_with(TEMPLATE));
        Self::read_files(reader, folder, &names)
    }

    fn read_files(reader: &mut PackageReader, folder: &str, names: &[String]) -> Self {
        let mut rendered = Self::default();
        for name in names {
            let Some(text) = reader.text(&format!("{folder}/{name}")) else {
                // A template that cannot be read may render every variable.
                return Self::default();
            };
            rendered.templates += 1;
            rendered.add(names_in_tags(&text));
        }
        rendered
    }

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

/// Marks the variables that no template renders: those of a stream by the templates of its data stream, all others by every template.
pub(super) fn mark_unused(
    reader: &mut PackageReader,
    manifest: &mut PackageManifest,
    streams: &mut [DataStream],
) {
    let mut all = RenderedNames::read(reader, "agent/input");
    let mut is_complete = true;
    let common: BTreeSet<String> = all.names.keys().cloned().collect();
    let mut by_stream: Vec<(String, BTreeSet<String>)> = Vec::new();
    for stream in streams.iter_mut() {
        let own = RenderedNames::read(reader, &format!("data_stream/{}/agent/stream", stream.name));
        for input in &mut stream.inputs {
            // Fleet renders this template for the input, and no other of the folder.
            let folder = format!("data_stream/{}/agent/stream", stream.name);
            let is_there = reader.names(&folder, PackageEntry::File).contains(&input.template);
            if is_there {
                let names = [input.template.clone()];
                RenderedNames::read_files(reader, &folder, &names).mark(&mut input.variables);
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
        for variable in manifest.variables.iter_mut().chain(shared).filter(|it| !it.is_unused) {
            let name = &variable.name;
            let is_unused = |names: &BTreeSet<String>| !names.contains(name) && !common.contains(name);
            let unused = by_stream.iter().filter(|(_, names)| is_unused(names));
            variable.unused_streams = unused.map(|(stream, _)| stream.clone()).collect();
        }
    }
    keep_real_switches(&mut all_variables(manifest, streams));
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

/// Drops the conditions of templates that are no switches of the form, such as `{{#if tags}}`.
fn keep_real_switches(variables: &mut [&mut PackageVariable]) {
    let names: BTreeSet<String> =
        variables.iter().filter(|variable| variable.kind == "bool").map(|it| it.name.clone()).collect();
    for variable in variables {
        variable.switches.retain(|switch, _| names.contains(switch));
    }
}
