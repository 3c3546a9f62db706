//! The node `check_urls`: fetches the pages behind links, if the user asked for it (SEC-122, SEC-123). Its
//! issues are part of the feedback (SEC-72).

use std::collections::BTreeMap;

use serde_json::json;

use crate::agent::around::off_the_tape;
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::readme::validate::urls::{checkable_links, judge_page, judge_refusal};
use crate::workflows::sections::fetch::{FetchedPage, fetch_all};
use crate::workflows::sections::services::SectionsServices;
use crate::workflows::sections::state::{SectionRun, SectionRunUpdate};

type Pages = BTreeMap<String, Result<FetchedPage, String>>;

/// Fetches the pages behind the candidate's links, and adds an issue for each that does not exist or cannot
/// be checked.
pub(in super::super) async fn check_urls(
    section: &SectionRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionRunUpdate> {
    let resources = cx.services().resources()?;
    let (Some(pages), true) = (&resources.pages, section.judges.urls) else {
        return Ok(SectionRun::update());
    };
    let text = section.candidate.as_deref().unwrap_or_default();
    let links = checkable_links(text);
    let mut urls: Vec<String> = links.iter().map(|link| link.url.clone()).collect();
    urls.sort();
    urls.dedup();
    let input = json!({ "urls": urls });
    let fetching = async { Ok::<_, NodeError>(fetch_all(pages.as_ref(), urls).await) };
    let effect = resources.tape.effect("pages", input, off_the_tape, fetching);
    let fetched: Pages = cx.once("pages", effect).await?;
    let mut issues = section.issues.clone();
    issues.extend(links.iter().filter_map(|link| match fetched.get(&link.url)? {
        Ok(page) => judge_page(link, page.status, &page.body),
        Err(reason) => Some(judge_refusal(link, reason)),
    }));
    Ok(SectionRun::update().issues(issues))
}
