//! The page of settings.

use super::super::facts::PageFacts;
use super::super::page::{Block, DocumentPage, Text, code, prose};
use super::{CONFIGURATION, comma_separated, facts_note, filled_table, not_shown, places, section};
use crate::facts::{Fact, FactKind, FactValue, PathRole, SettingForm, TargetKind};

/// Maximum of settings of one form.
const SETTINGS: usize = 200;

/// The forms of settings in the order of the page, with their titles.
const FORMS: [(SettingForm, &str); 4] = [
    (SettingForm::Variable, "Environment variables"),
    (SettingForm::Flag, "Options of the command line"),
    (SettingForm::File, "Configuration files"),
    (SettingForm::Key, "Keys of configuration files"),
];

/// Returns the page CONFIGURATION about settings of the product, and of scripts and the build; `None` without
/// settings.
pub(in super::super) fn configuration(facts: &PageFacts) -> Option<DocumentPage> {
    let mut blocks = by_form(facts, 2, |fact| fact.role == PathRole::Runtime);
    let scripts = by_form(facts, 3, |fact| fact.role != PathRole::Runtime);
    blocks.extend(section(2, "Settings of scripts and of the build", scripts));
    if blocks.is_empty() {
        return None;
    }
    blocks.insert(0, facts_note());
    Some(DocumentPage {
        path: CONFIGURATION.to_owned(),
        title: format!("Configuration of {}", facts.system()),
        blocks,
    })
}

/// Returns a section for each form of setting, such as environment variables. Extras of a Python package have
/// a section apart from features of the build. Only settings that `is_shown` accepts are listed.
fn by_form(facts: &PageFacts, level: u8, is_shown: impl Fn(&Fact) -> bool) -> Vec<Block> {
    let of_form = |(form, title): &(SettingForm, &str)| {
        section(level, title_of(facts, *form, title), settings(facts, *form, &is_shown))
    };
    let mut blocks: Vec<Block> = FORMS.iter().flat_map(of_form).collect();
    let features = |fact: &Fact| is_shown(fact) && !is_extra(fact);
    let extras = |fact: &Fact| is_shown(fact) && is_extra(fact);
    let of_build = settings(facts, SettingForm::Feature, features);
    blocks.extend(section(level, "Features of the build", of_build));
    blocks.extend(section(level, "Extras", settings(facts, SettingForm::Feature, extras)));
    blocks
}

/// Returns the title of a form. A library without programs and configuration files takes its keys as arguments.
fn title_of<'t>(facts: &PageFacts, form: SettingForm, title: &'t str) -> &'t str {
    let is_of_program = |fact: &Fact| match &fact.value {
        FactValue::Setting { form, .. } => *form == SettingForm::File && fact.role == PathRole::Runtime,
        FactValue::Target { target, .. } => *target == TargetKind::Program && fact.role == PathRole::Runtime,
        _ => false,
    };
    let is_argument = form == SettingForm::Key && !facts.selected.facts.iter().any(is_of_program);
    if is_argument { "Options in arguments" } else { title }
}

fn is_extra(fact: &Fact) -> bool {
    let name = fact.sources.first().and_then(|place| place.path.rsplit('/').next());
    name.is_some_and(|name| matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg"))
}

fn settings(facts: &PageFacts, wanted: SettingForm, is_shown: impl Fn(&Fact) -> bool) -> Vec<Block> {
    let has_form = |fact: &Fact| matches!(&fact.value, FactValue::Setting { form, .. } if *form == wanted);
    let is_wanted = |fact: &&Fact| has_form(fact) && is_shown(fact);
    let found: Vec<&Fact> = facts.selected.of_product(FactKind::Setting).filter(is_wanted).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let row = |fact: &&Fact| -> Option<Vec<Text>> {
        let FactValue::Setting { name, default, text, .. } = &fact.value else { return None };
        let default = default.iter().map(code).collect();
        let text = text.as_deref().map(|text| meaning(wanted, text)).unwrap_or_default();
        let forms = facts.selected.options.get(&fact.id);
        let short = forms.and_then(|forms| forms.short.as_ref());
        let names = comma_separated(std::iter::once(name).chain(short).map(code));
        let commands = comma_separated(forms.iter().flat_map(|forms| &forms.commands).map(code));
        Some(vec![names, default, text, commands, places(&fact.sources)])
    };
    let rows: Vec<Vec<Text>> = found.iter().take(SETTINGS).filter_map(row).collect();
    let shown = rows.len();
    let table = filled_table(&["Name", "Default", "Meaning", "Taken by", "Place"], rows);
    table.into_iter().chain(not_shown(found.len(), shown, "settings")).collect()
}

/// Returns the text for the column with the meaning of a setting: its help text or, for a build feature whose
/// text is a value of the manifest (`["std"]`), that value as code.
fn meaning(form: SettingForm, text: &str) -> Text {
    let is_value = form == SettingForm::Feature && text.starts_with(['[', '{']);
    if is_value { vec![code(text)] } else { prose(text) }
}
