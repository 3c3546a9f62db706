//! Writes the context file: front matter, text, path. Idempotent: a second write gives the same bytes.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agent::Spent;
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::workflows::contextualize::content::{count_tokens, merge_agents_md};
use crate::workflows::contextualize::context_file::{
    ContextAuthor, ContextFile, ContextMetadata, ContextPaths, FrontMatter, Provenance,
    ScopedContextMetadata, mark_output_dir, probe_output, read_agents_md, resolve_output, write_agents_md,
    write_context, write_scope,
};
use crate::workflows::contextualize::input::{ContextFormat, ContextSettings};
use crate::workflows::contextualize::progress::ContextEvent;
use crate::workflows::contextualize::search::topic;
use crate::workflows::contextualize::services::{ContextResources, ContextServices};
use crate::workflows::contextualize::state::{
    ContextDraft, ContextGeneration, ContextGenerationUpdate, ContextRefinement, ContextRefinementUpdate,
    ContextRun, ContextScope, ContextScopeUpdate, DraftAuthor, DraftStatus, RefinedFile, RepositoryIdentity,
    WrittenContext,
};
use crate::workflows::output::{OutputError, STDOUT};

/// Checks that the result can be written to its path, before anything is read or paid for. Writes nothing.
pub(super) fn check_output(
    input: &ContextRun,
    repository: &RepositoryIdentity,
    resources: &ContextResources,
) -> NodeResult<()> {
    let input = &resources.redirect(input);
    if is_stdout(&input.settings) {
        return Ok(());
    }
    let default = default_path(input, repository);
    let target = resolve_output(&input.settings, &resources.folder, &default).map_err(output_error)?;
    probe_output(&target).map_err(output_error)?;
    match input.settings.format {
        ContextFormat::Context => Ok(()),
        ContextFormat::AgentsMd => merge_existing(&target, "").map(drop),
    }
}

/// Writes the description of a repository as a context file or an `AGENTS.md`, or writes the changed file of
/// an agent, and stores the result in the state.
pub(in super::super) async fn save_generation(
    run: &ContextGeneration,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextGenerationUpdate> {
    let (draft, repository) = require_draft(run.draft.as_ref(), run.repository.as_ref())?;
    let resources = cx.services().resources()?;
    let (input, summary, remarks) = (resources.redirect(&run.input), run.summary.clone(), run.notes.clone());
    let provenance = provenance(&draft, &run.spent, &repository);
    let (folder, refinement) = (resources.folder.clone(), run.refinement.clone());
    let write = move || match (refinement, input.settings.format) {
        (Some(RefinedFile { file, original, .. }), _) => {
            write_refined(&input, &folder, (file, original), Some(provenance), &draft, &remarks)
        }
        (None, ContextFormat::Context) => {
            let metadata = ContextMetadata {
                source_repo: repository.source_repo.clone(),
                scan_date: input.started,
                user_summary: summary,
                provenance,
            };
            let front_matter = with_remarks(metadata.front_matter(), &draft, &remarks);
            let file = ContextFile::new(front_matter, &draft.markdown);
            write_file(&input, &repository, &folder, &file)
        }
        (None, ContextFormat::AgentsMd) => save_agents_md(&input, &repository, &folder, &draft.markdown),
    };
    let (written, document) = write_blocking(write, cx).await?;
    Ok(ContextGeneration::update().written(Some(written)).document(document))
}

/// Writes the answer to a question as a context file with a new name, or at the path that the user named, and
/// stores the result in the state.
pub(in super::super) async fn save_scope(
    run: &ContextScope,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextScopeUpdate> {
    let (draft, repository) = require_draft(run.draft.as_ref(), run.repository.as_ref())?;
    let metadata = ScopedContextMetadata {
        source_repo: repository.source_repo.clone(),
        scope_question: run.question.clone(),
        scan_date: run.input.started,
        files_analyzed: u32::try_from(draft.files_analyzed.len()).unwrap_or(u32::MAX),
        source_context: run.source_context.clone(),
        provenance: provenance(&draft, &run.spent, &repository),
    };
    let front_matter = with_remarks(metadata.front_matter(), &draft, &run.notes);
    let file = ContextFile::new(front_matter, &draft.markdown);
    let resources = cx.services().resources()?;
    let (input, question) = (resources.redirect(&run.input), run.question.clone());
    let folder = resources.folder.clone();
    let write = move || {
        let settings = &input.settings;
        if settings.output.is_some() {
            return write_file(&input, &repository, &folder, &file);
        }
        let paths = paths(&input, &repository);
        mark_output_dir(settings, &folder, &paths).map_err(output_error)?;
        let path = write_scope(settings, &folder, &paths, &topic(&question), input.started, &file);
        let path = path.map_err(output_error)?;
        Ok(Saved::File(WrittenContext { path, tokens: count_tokens(&file.render()), kept: None }))
    };
    let (written, document) = write_blocking(write, cx).await?;
    Ok(ContextScope::update().written(Some(written)).document(document))
}

/// Writes the changed context file, at its own path unless the user named another. Keys of the front matter that this program does not
/// know are kept (CTX-32).
pub(in super::super) async fn save_refinement(
    run: &ContextRefinement,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextRefinementUpdate> {
    let draft = run.draft.clone().ok_or_else(no_draft)?;
    let origin = run.repository.as_ref().map(|repository| provenance(&draft, &run.spent, repository));
    let resources = cx.services().resources()?;
    let (input, refined, remarks) =
        (resources.redirect(&run.input), (run.file.clone(), run.original.clone()), run.notes.clone());
    let folder = resources.folder.clone();
    let write = move || write_refined(&input, &folder, refined, origin, &draft, &remarks);
    let (written, document) = write_blocking(write, cx).await?;
    Ok(ContextRefinement::update().written(Some(written)).document(document))
}

/// Writes a changed context file at its own path, or at the path or to the stdout that the user named. A
/// draft that changed nothing leaves the file as it is.
fn write_refined(
    input: &ContextRun,
    folder: &Path,
    (own, original): (PathBuf, ContextFile),
    origin: Option<Provenance>,
    draft: &ContextDraft,
    remarks: &[String],
) -> NodeResult<Saved> {
    if draft.author == DraftAuthor::Unchanged {
        return save_unchanged(input, folder, own, &original);
    }
    let front_matter = match origin {
        Some(origin) => original.front_matter.with(origin.front_matter()),
        None => original.front_matter,
    };
    let file = ContextFile::new(with_remarks(front_matter, draft, remarks), &draft.markdown);
    if is_stdout(&input.settings) {
        return Ok(to_stdout(file.render()));
    }
    let path = input.settings.output.clone().unwrap_or(own);
    let kept = write_context(&folder.join(&path), &file).map_err(output_error)?;
    Ok(Saved::File(WrittenContext { path, tokens: count_tokens(&file.render()), kept }))
}

/// Leaves the file as it is, byte by byte. If the user named another path, the file is copied there with its
/// front matter.
fn save_unchanged(
    input: &ContextRun,
    folder: &Path,
    own: PathBuf,
    original: &ContextFile,
) -> NodeResult<Saved> {
    let text = original.render();
    if is_stdout(&input.settings) {
        return Ok(to_stdout(text));
    }
    let path = input.settings.output.clone().unwrap_or_else(|| own.clone());
    let tokens = count_tokens(&text);
    if folder.join(&path) == folder.join(own) {
        return Ok(Saved::Kept(WrittenContext { path, tokens, kept: None }));
    }
    let kept = write_context(&folder.join(&path), original).map_err(output_error)?;
    Ok(Saved::File(WrittenContext { path, tokens, kept }))
}

fn write_file(
    input: &ContextRun,
    repository: &RepositoryIdentity,
    folder: &Path,
    file: &ContextFile,
) -> NodeResult<Saved> {
    if is_stdout(&input.settings) {
        return Ok(to_stdout(file.render()));
    }
    let default = default_path(input, repository);
    let target = resolve_target(input, repository, folder, &default)?;
    let kept = write_context(&target, file).map_err(output_error)?;
    let path = input.settings.output.clone().unwrap_or(default);
    Ok(Saved::File(WrittenContext { path, tokens: count_tokens(&file.render()), kept }))
}

/// Writes an `AGENTS.md`. Text outside of the generated part of an existing file is kept.
fn save_agents_md(
    input: &ContextRun,
    repository: &RepositoryIdentity,
    folder: &Path,
    text: &str,
) -> NodeResult<Saved> {
    if is_stdout(&input.settings) {
        return Ok(to_stdout(merge_agents_md(None, text)?));
    }
    let default = default_path(input, repository);
    let target = resolve_target(input, repository, folder, &default)?;
    let merged = merge_existing(&target, text)?;
    write_agents_md(&target, &merged).map_err(output_error)?;
    let path = input.settings.output.clone().unwrap_or(default);
    Ok(Saved::File(WrittenContext { path, tokens: count_tokens(&merged), kept: None }))
}

/// Returns the content of the `AGENTS.md` at `target` with a new generated part; an error if people wrote the
/// file.
fn merge_existing(target: &Path, text: &str) -> NodeResult<String> {
    let existing = read_agents_md(target).map_err(output_error)?;
    merge_agents_md(existing.as_deref(), text).map_err(|error| {
        let error = NodeError::msg(format!("{} is left as it is: {error}", target.display())).permanent();
        error.with_hint(
            "name another file: `-o FILE`; or put the two marks into this one, around the text to replace",
        )
    })
}

/// The result of writing: a file, an unchanged file, or a text for standard output.
enum Saved {
    /// A written file.
    File(WrittenContext),
    /// A file that was left as it is.
    Kept(WrittenContext),
    /// A text for standard output.
    Text(WrittenContext, String),
}

fn is_stdout(settings: &ContextSettings) -> bool {
    settings.output.as_deref() == Some(Path::new(STDOUT))
}

fn to_stdout(text: String) -> Saved {
    Saved::Text(WrittenContext { path: STDOUT.into(), tokens: count_tokens(&text), kept: None }, text)
}

/// Resolves the path to write: the user's `--output`, or `default`. In the second case a missing output
/// folder is created with a `.gitkeep`.
fn resolve_target(
    input: &ContextRun,
    repository: &RepositoryIdentity,
    folder: &Path,
    default: &Path,
) -> NodeResult<PathBuf> {
    if input.settings.output.is_none() {
        mark_output_dir(&input.settings, folder, &paths(input, repository)).map_err(output_error)?;
    }
    resolve_output(&input.settings, folder, default).map_err(output_error)
}

/// Returns the path of the result unless the user names one: `context.md` or `AGENTS.md` in the repository's
/// folder below the output folder.
pub(super) fn default_path(input: &ContextRun, repository: &RepositoryIdentity) -> PathBuf {
    match input.settings.format {
        ContextFormat::Context => paths(input, repository).context(),
        ContextFormat::AgentsMd => paths(input, repository).agents_md(),
    }
}

fn paths(input: &ContextRun, repository: &RepositoryIdentity) -> ContextPaths {
    ContextPaths::new(&input.settings.output_dir, &repository.name)
}

fn provenance(draft: &ContextDraft, spent: &Spent, repository: &RepositoryIdentity) -> Provenance {
    let commit = repository.commit.clone();
    let usage = spent.total().usage;
    match &draft.author {
        DraftAuthor::Rules | DraftAuthor::Unchanged => Provenance::of_rules(commit).with_usage(usage),
        DraftAuthor::Model(name) => Provenance::of_model(name, usage, commit),
        DraftAuthor::RulesAndModel(name) => Provenance {
            written_by: ContextAuthor::RulesAndModel,
            ..Provenance::of_model(name, usage, commit)
        },
    }
}

/// Runs `write` on a blocking thread, because it waits for the disk, and emits an event if a file was
/// written. The text is returned if it is for standard output.
async fn write_blocking(
    write: impl FnOnce() -> NodeResult<Saved> + Send + 'static,
    cx: &Cx<ContextServices>,
) -> NodeResult<(WrittenContext, Option<String>)> {
    match tokio::task::spawn_blocking(write).await?? {
        Saved::File(written) => {
            let WrittenContext { path, tokens, kept } = written.clone();
            cx.emit(ContextEvent::NAME, &ContextEvent::Written { path, tokens, kept })?;
            Ok((written, None))
        }
        Saved::Kept(written) => Ok((written, None)),
        Saved::Text(written, text) => Ok((written, Some(text))),
    }
}

fn output_error(error: OutputError) -> NodeError {
    let hint = format!("{}, then resume: no model is asked again", error.remedy());
    NodeError::from(error).permanent().with_hint(hint)
}

/// Key of the reason why a file is partial (CTX-141).
const PARTIAL: &str = "partial";
/// Key of the remarks about a text.
const REMARKS: &str = "remarks";

/// Sets the keys `partial` and `remarks` of the front matter: the reason why a text is partial, and the
/// remarks of this run. Those of an earlier run are replaced.
fn with_remarks(mut front_matter: FrontMatter, draft: &ContextDraft, remarks: &[String]) -> FrontMatter {
    let partial = match &draft.status {
        DraftStatus::Partial(reason) => Some(Value::from(reason.as_str())),
        DraftStatus::Complete => None,
    };
    let remarks = (!remarks.is_empty()).then(|| Value::from(remarks));
    for (key, value) in [(PARTIAL, partial), (REMARKS, remarks)] {
        match value {
            Some(value) => front_matter.set(key, value),
            None if front_matter.get(key).is_some() => front_matter.set(key, Value::Null),
            None => {}
        }
    }
    front_matter
}

/// Returns the draft and the repository; an error if one is missing.
fn require_draft(
    draft: Option<&ContextDraft>,
    repository: Option<&RepositoryIdentity>,
) -> NodeResult<(ContextDraft, RepositoryIdentity)> {
    draft.cloned().zip(repository.cloned()).ok_or_else(no_draft)
}

fn no_draft() -> NodeError {
    let error = NodeError::msg("there is no text to write").permanent();
    error.with_hint("the graph has to open the repository and to write a text before it saves")
}
