//! The page of settings.

use super::super::facts::PageFacts;
use super::super::page::{Block, DocumentPage, Text, code, prose};
use super::{CONFIGURATION, comma_separated, facts_note, filled_table, not_shown, places, section};
use crate::facts::{Fact, FactKind, FactValue, PathRole, SettingForm};

/// Maximum of settings of one form.
const SETTINGS: usize = 200;

/// The forms of settings in the order of the page, with their titles.
const FORMS: [(SettingForm, &str); 5] = [
    (SettingForm::Variable, "Environment variables"),
    (SettingForm::Flag, "Options of the command line"),
    (SettingForm::File, "Configuration files"),
    (SettingForm::Key, "Keys of configuration files"),
    (SettingForm::Feature, "Features of the build"),
];

/// Returns the page; `None` without settings.
pub(in super::super) fn configuration(facts: &PageFacts) -> Option<DocumentPage> {
    let of_product = |fact: &Fact| fact.role == PathRole::Runtime;
    let sections =
        FORMS.iter().flat_map(|(form, title)| section(2, title, settings(facts, *form, of_product)));
    let mut blocks: Vec<Block> = sections.collect();
    let of_scripts = |fact: &Fact| fact.role != PathRole::Runtime;
    let scripts =
        FORMS.iter().flat_map(|(form, title)| section(3, title, settings(facts, *form, of_scripts)));
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

/// Returns a help text; a value of the manifest, such as the features that a feature enables, as code.
fn meaning(form: SettingForm, text: &str) -> Text {
    let is_value = form == SettingForm::Feature && text.starts_with(['[', '{']);
    if is_value { vec![code(text)] } else { prose(text) }
}
