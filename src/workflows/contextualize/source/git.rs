//! One call of the program `git`: without the user's configuration, without prompts, hooks and helpers, and with limits. Knows no steps.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::time::Instant;

use super::size::wait_until_larger;
use crate::llm::Env;

/// Variables that `git` and its client for HTTP need: the program, proxies, certificates.
const PASSED: [&str; 15] = [
    "PATH",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "CURL_CA_BUNDLE",
    "SystemRoot",
    "TEMP",
    "TMPDIR",
];

/// Settings that keep `git` from running other programs and from asking.
const SETTINGS: [&str; 11] = [
    "core.hooksPath=/dev/null",
    "core.askPass=",
    "core.fsmonitor=false",
    "credential.helper=",
    "credential.interactive=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "advice.detachedHead=false",
    // A transfer that stands still ends, even if this process was killed and nothing else ends it.
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=120",
];

/// Bytes at the end of the messages that are kept.
const MESSAGES_MAX: usize = 16_384;

/// The paths, variables and limits that all `git` calls of one clone share.
pub(super) struct Git {
    /// Folder that is measured; all files of the clone are in it.
    pub(super) folder: PathBuf,
    /// The repository's own files.
    pub(super) repository: PathBuf,
    /// The files of the commit.
    pub(super) work_tree: PathBuf,
    /// Home of the calls: an empty folder.
    pub(super) home: PathBuf,
    /// The only protocol that is used.
    pub(super) protocol: String,
    /// Variables of the user that are passed on.
    pub(super) variables: Vec<(&'static str, String)>,
    /// Moment at which all calls have to be done.
    pub(super) deadline: Instant,
    /// Maximum size of [`folder`](Self::folder) in bytes.
    pub(super) size_limit: u64,
}

/// The reason why a call of `git` failed.
#[derive(Debug)]
pub(super) enum GitFailure {
    /// The program cannot be started.
    NotStarted(io::Error),
    /// It ended with an error; its messages, the newest last.
    Failed(String),
    /// The deadline passed.
    TimedOut,
    /// The folder is larger than the limit.
    TooLarge,
}

/// Returns the environment variables that `git` needs, with their values: `PATH`, proxies, certificates.
pub(super) fn passed_variables(env: &dyn Env) -> Vec<(&'static str, String)> {
    PASSED.iter().filter_map(|name| Some((*name, env.var(name)?))).collect()
}

impl Git {
    /// Runs `git` with arguments, and passes its output to `read` in pieces. The call ends early, as a
    /// success, if `read` returns false. Dropping the future ends all processes of the call.
    pub(super) async fn run<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        read: impl FnMut(&[u8]) -> bool + Send,
    ) -> Result<(), GitFailure> {
        let mut child = self.command(arguments).spawn().map_err(GitFailure::NotStarted)?;
        let group = ProcessGroup::of(&child);
        let (out, messages) = (child.stdout.take(), child.stderr.take());
        let work = async { tokio::try_join!(pass_on(out, read), read_end(messages), child.wait()) };
        let (is_whole, messages, status) = tokio::select! {
            // In this order, so that a call that is done counts as done.
            biased;
            done = work => done.map_err(|error| GitFailure::Failed(error.to_string()))?,
            () = tokio::time::sleep_until(self.deadline) => return Err(GitFailure::TimedOut),
            () = wait_until_larger(self.folder.clone(), self.size_limit) => return Err(GitFailure::TooLarge),
        };
        group.release();
        // A call whose output is not wanted any more ends with a broken pipe.
        if status.success() || !is_whole { Ok(()) } else { Err(GitFailure::Failed(messages)) }
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new("git");
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
        command
            .args(arguments)
            .env("GIT_DIR", &self.repository)
            .env("GIT_WORK_TREE", &self.work_tree)
            .env("HOME", &self.home)
            .env("XDG_CONFIG_HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_SYSTEM", nothing)
            .env("GIT_CONFIG_GLOBAL", nothing)
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "")
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .env("GIT_ALLOW_PROTOCOL", &self.protocol)
            // The messages are searched for known errors.
            .env("LC_ALL", "C")
            // An entry such as `.` of the PATH leads to an empty folder.
            .current_dir(&self.home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // A group of its own: helpers of `git` can be ended with it, and Ctrl-C in a terminal reaches this process alone.
        #[cfg(unix)]
        command.process_group(0);
        command
    }
}

/// Passes all output of a process to `read`; returns false if `read` stopped it.
async fn pass_on(
    source: Option<impl AsyncRead + Unpin>,
    mut read: impl FnMut(&[u8]) -> bool,
) -> io::Result<bool> {
    let Some(mut source) = source else { return Ok(true) };
    let mut piece = vec![0; 65_536];
    loop {
        match source.read(&mut piece).await? {
            0 => return Ok(true),
            // The pipe is closed, and `git` ends at its next write.
            length if !read(&piece[..length]) => return Ok(false),
            _ => {}
        }
    }
}

/// Reads a stream to its end, and returns the last 16 KiB as text.
async fn read_end(source: Option<impl AsyncRead + Unpin>) -> io::Result<String> {
    let mut kept = Vec::new();
    let keep = |piece: &[u8]| {
        kept.extend_from_slice(piece);
        let excess = kept.len().saturating_sub(MESSAGES_MAX);
        kept.drain(..excess);
        true
    };
    pass_on(source, keep).await?;
    Ok(String::from_utf8_lossy(&kept).into_owned())
}

/// The processes of one call, by the id of their group. Dropping it kills them, unless it was released (Linux
/// only).
struct ProcessGroup(Option<u32>);

impl ProcessGroup {
    fn of(child: &Child) -> Self {
        Self(child.id())
    }

    /// Disarms the group, so that dropping it kills nothing: the call has ended, and the system may reuse the
    /// id.
    fn release(mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(group) = self.0.and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())) {
            // The group is gone if the processes ended by themselves.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// Returns the last error line of `git`'s messages (else the last line), at most 300 characters, without
/// control characters and credentials.
pub(super) fn last_line(messages: &str) -> String {
    const SHOWN: usize = 300;
    let lines = || messages.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let Some(line) = lines().rfind(is_error).or_else(|| lines().next_back()) else {
        return "git failed without a message".to_owned();
    };
    let shown: String = line.chars().filter(|c| !is_hidden(*c)).collect();
    stategraph_base::cut(&without_credentials(&shown), SHOWN).in_line()
}

/// Returns true for characters that change a terminal or the direction of a text.
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Removes the user names and passwords from the URLs in a text.
fn without_credentials(text: &str) -> String {
    let mut parts = text.split("://");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(['/', ' ', '\'', '"', '?', '#']).unwrap_or(part.len());
        let start = part[..end].rfind('@').map_or(0, |at| at + 1);
        clean.push_str("://");
        clean.push_str(&part[start..]);
    }
    clean
}

/// Creates the folders for the repository, the work tree and the home of the calls.
pub(super) fn create_folders(git: &Git) -> io::Result<()> {
    let folders: [&Path; 3] = [&git.repository, &git.work_tree, &git.home];
    folders.iter().try_for_each(std::fs::create_dir_all)
}
