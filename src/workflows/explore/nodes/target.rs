//! Checks the target of a delegation: returns the scope of the child, or the reason for a refusal
//! (EXP-21 to EXP-23, EXP-67). Pure, so that a resumed run decides as before.

use std::collections::BTreeSet;

use crate::workflows::explore::agents::{AgentId, AgentRecord, AgentRun, AgentScope, TakenPart, is_below};

/// Maximum number of files of a child (EXP-23).
pub(super) const CHILD_FILES: usize = 200;

/// Reason why a part of the repository cannot be delegated; the message is the result of the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum RefusedTarget {
    #[error("you are at the deepest level, {0}: explore the files yourself")]
    TooDeep(u32),
    #[error("the target is empty; name a folder or module of your scope")]
    Empty,
    #[error("`{0}` is outside of the repository")]
    OutsideRepository(String),
    #[error("`{0}` is outside of your scope, `{1}`")]
    OutsideScope(String, String),
    #[error("`{0}` is your own scope; delegate a part of it, or explore it yourself")]
    OwnScope(String),
    #[error("`{0}` has all files of your own scope; delegate a part of it, or explore it yourself")]
    WholeScope(String),
    #[error("`{0}` is the scope of an agent above you; delegate a part of your own scope, `{1}`")]
    AncestorScope(String, String),
    #[error("`{0}` is a file: read it with `read_file`, or delegate its folder")]
    File(String),
    #[error("`{0}` was delegated already: agent {1} explores it")]
    Taken(String, AgentId),
    #[error("all files of `{0}` were delegated already: agents {1} explore them")]
    TakenInParts(String, String),
    #[error("`{0}` has no source files of your scope")]
    NoSourceFiles(String),
}

/// Parts of an agent's scope that its children have, including those planned in this answer.
pub(super) struct Claims<'a> {
    agent: &'a AgentRun,
    /// Scopes of the children, with their files.
    taken: Vec<(AgentId, AgentScope)>,
}

impl<'a> Claims<'a> {
    /// Returns the claims of the ended children.
    pub(super) fn of(agent: &'a AgentRun) -> Self {
        let taken =
            agent.children().into_iter().map(|child: &AgentRecord| (child.id.clone(), child.scope.clone()));
        Self { agent, taken: taken.collect() }
    }

    /// Returns the scope of a child for the path that a model typed. Files of other children are left
    /// out, so that no file is explored twice.
    pub(super) fn check(&self, typed: &str) -> Result<AgentScope, RefusedTarget> {
        let agent = self.agent;
        if agent.depth >= agent.max_depth {
            return Err(RefusedTarget::TooDeep(agent.max_depth));
        }
        if typed.trim().is_empty() {
            return Err(RefusedTarget::Empty);
        }
        let path = normalise(typed, &agent.repo_root.to_string_lossy())
            .ok_or_else(|| RefusedTarget::OutsideRepository(format_path(typed)))?;
        self.check_place(&path)?;
        let files = agent.scope().below(&path);
        if files.is_empty() {
            return Err(self.without_files(&path));
        }
        if files.len() == agent.scope_files.len() {
            return Err(RefusedTarget::WholeScope(format_path(&path)));
        }
        let taken: BTreeSet<&String> = self.taken.iter().flat_map(|(_, scope)| &scope.files).collect();
        let free: Vec<String> =
            files.iter().filter(|file| !taken.contains(file)).take(CHILD_FILES).cloned().collect();
        if let Some((id, _)) = self.taken.iter().find(|(_, scope)| scope.path == path) {
            return Err(RefusedTarget::Taken(format_path(&path), id.clone()));
        }
        if free.is_empty() { Err(self.owners(&path, &files)) } else { Ok(AgentScope { path, files: free }) }
    }

    /// Returns the parts inside the folder at `path` that other agents explore; a child there has the
    /// rest of it.
    pub(super) fn taken_parts(&self, path: &str) -> Vec<TakenPart> {
        let children = self.taken.iter().map(|(id, scope)| (&scope.path, id));
        let others = self.agent.taken_parts.iter().map(|part| (&part.path, &part.agent));
        let below = children.chain(others).filter(|(part, _)| is_below(part, path));
        below.map(|(part, id)| TakenPart { path: part.clone(), agent: id.clone() }).collect()
    }

    /// Returns the reason why the scope has no files at `path`.
    fn without_files(&self, path: &str) -> RefusedTarget {
        let part = self.agent.taken_parts.iter().find(|part| is_below(path, &part.path));
        match part {
            Some(part) => RefusedTarget::Taken(format_path(path), part.agent.clone()),
            None if self.agent.scope_files.iter().any(|file| file == path) => {
                RefusedTarget::File(format_path(path))
            }
            None => RefusedTarget::NoSourceFiles(format_path(path)),
        }
    }

    /// Records the scope of a child that will run.
    pub(super) fn claim(&mut self, id: AgentId, scope: AgentScope) {
        self.taken.push((id, scope));
    }

    /// Checks that a path is inside the agent's scope and not the scope itself.
    fn check_place(&self, path: &str) -> Result<(), RefusedTarget> {
        let own = &self.agent.scope_path;
        if path == own {
            return Err(RefusedTarget::OwnScope(scope_name(own)));
        }
        if is_below(own, path) {
            return Err(RefusedTarget::AncestorScope(scope_name(path), scope_name(own)));
        }
        if !is_below(path, own) {
            return Err(RefusedTarget::OutsideScope(format_path(path), scope_name(own)));
        }
        Ok(())
    }

    /// Returns the refusal for files that children have already.
    fn owners(&self, path: &str, files: &[String]) -> RefusedTarget {
        let files: BTreeSet<&String> = files.iter().collect();
        let owners =
            self.taken.iter().filter(|(_, scope)| scope.files.iter().any(|file| files.contains(file)));
        let ids: Vec<&AgentId> = owners.map(|(id, _)| id).collect();
        match ids.as_slice() {
            [id] => RefusedTarget::Taken(format_path(path), (*id).clone()),
            ids => {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                RefusedTarget::TakenInParts(format_path(path), ids.join(", "))
            }
        }
    }
}

/// Returns the path of a scope for a message; `.` for the repository.
pub(super) fn scope_name(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { format_path(path) }
}

fn format_path(path: &str) -> String {
    crate::repo::cut(path.trim(), 200).kept.to_owned()
}

/// Returns a typed path relative to the repository `root`, with `/` and without `.` and `..`; `None` if
/// it leads outside. Does not read the file system.
pub(super) fn normalise(typed: &str, root: &str) -> Option<String> {
    let typed = typed.trim().replace('\\', "/");
    let relative = match typed.strip_prefix(root) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest,
        _ if typed.starts_with('/') => return None,
        _ => &typed,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
