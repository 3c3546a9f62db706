//! Collects the capabilities that a configuration file requests, with their places: addresses that get
//! requests and keys, variables that it reads, headers, an output outside its folder. Decides nothing
//! about trust; see `crate::trust`.

use std::collections::BTreeMap;
use std::path::Path;

use stategraph_yaml::YamlValue;

use super::A_PATH;
use super::defect::ConfigError;
use super::fields::{Fields, as_map, as_text};
use super::found::ConfigPosition;
use super::landing::landing_outside;
use super::provider::Entry;
use super::text::parsed;
use crate::llm::{Providers, is_local};
use crate::repo::ContentHash;
use crate::trust::{Capability, TrustRequest};

/// Returns the capabilities that the text of a configuration requests, each with its line and column.
/// `path` is its file; relative paths in it start in `folder`.
///
/// Values are not validated here, because the caller has parsed the settings.
pub(super) fn list_requested(text: &str, path: &Path, folder: &Path) -> Result<TrustRequest, ConfigError> {
    let built_in = Providers::new(BTreeMap::new());
    let mut request = TrustRequest::of(path);
    let wants = parsed(text, path, |mut file| {
        let mut wants = Vec::new();
        file.take_map("providers", "a map", |entry, value, _| {
            wants.extend(of_provider(entry, value, &built_in));
            Some(())
        });
        let place = file.place("output_path");
        let output = file.take("output_path", A_PATH, |value| Some(as_text(value)));
        let outside = output.flatten().and_then(|output| landing_outside(folder, Path::new(&output)));
        wants.extend(outside.map(|path| (place, Capability::WriteOutside { path })));
        Some(wants)
    })?;
    for (place, capability) in wants {
        request.want(place.line, place.column, capability);
    }
    Ok(request)
}

/// Returns the capabilities that one provider requests: reading a key variable, sending headers or
/// requests, sending without encryption. A server on this machine that gets neither key nor header
/// needs none; nor do the values that are built in.
fn of_provider(entry: Entry, value: &YamlValue, built_in: &Providers) -> Vec<(ConfigPosition, Capability)> {
    let mut ignored = Vec::new();
    let mut fields = Fields::open(entry.key, entry.place, as_map(value).unwrap_or_default(), &mut ignored);
    let provider = entry.name;
    let known = built_in.address(&provider);
    let mut wants = Vec::new();

    let place = fields.place("api_key_env");
    let variable = fields.take("api_key_env", "", as_text);
    if let Some(name) = variable.clone().filter(|name| known.and_then(|(_, own)| own) != Some(name)) {
        wants.push((place, Capability::ReadVariable { name, purpose: format!("the key of `{provider}`") }));
    }
    let headers = fields.take_map("headers", "", |entry, value, _| {
        let value = ContentHash::of(as_text(value).unwrap_or_default().as_bytes());
        let capability = Capability::SetHeader { provider: provider.clone(), header: entry.name, value };
        Some((entry.place, capability))
    });
    let key = variable.or_else(|| known.and_then(|(_, own)| own.map(str::to_owned)));
    let place = fields.place("base_url");
    let url = fields.take("base_url", "", as_text).filter(|url| known.is_none_or(|(own, _)| own != url));
    if let Some(url) = url.filter(|url| key.is_some() || !headers.is_empty() || !is_local(url)) {
        wants.push((place, Capability::SendTo { provider: provider.clone(), url, key }));
    }
    let place = fields.place("insecure_http");
    if fields.take("insecure_http", "", |value| Some(matches!(value, YamlValue::Bool(true)))) == Some(true) {
        wants.push((place, Capability::SendUnencrypted { provider }));
    }
    wants.extend(headers.into_values());
    wants
}
