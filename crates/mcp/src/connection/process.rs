//! The program of a server. It runs in a process group of its own with a small environment, its standard
//! error is read all the time, and it is ended together with all processes that it started.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::clean::clean_line;
use crate::limit::{CLOSE_LIMIT, STDERR_BYTES};

/// Maximum number of lines of the standard error in a message.
const SHOWN_LINES: usize = 5;
/// Maximum number of characters of each of these lines.
const SHOWN_CHARS: usize = 200;
/// Maximum wait for the exit status, and for the end of the standard error, of a program whose output has
/// ended.
const EXIT_LIMIT: Duration = Duration::from_millis(500);
/// Interval at which an ending program is polled.
const PAUSE: Duration = Duration::from_millis(5);

/// Command line and environment of an MCP server's program, with all variables replaced.
pub(super) struct ServerProgram {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    /// The whole environment; nothing is inherited.
    pub(super) env: BTreeMap<String, String>,
    pub(super) folder: PathBuf,
}

/// A running program of an MCP server. Dropping it ends the program and its process group. The drop blocks
/// for up to about two seconds, because our own program may end right after it and must leave no process
/// behind.
pub(super) struct ServerProcess {
    child: Child,
    /// Id of the process group, which is that of the program. It stays valid after the program ended, until it is reaped.
    group: Option<u32>,
    stderr: StderrTail,
}

impl ServerProcess {
    /// Starts the program of an MCP server in its own process group. Returns it with the pipes of its
    /// standard output and input.
    pub(super) fn start(program: &ServerProgram) -> io::Result<(Self, (ChildStdout, ChildStdin))> {
        let mut command = Command::new(&program.command);
        command
            .args(&program.args)
            .env_clear()
            .envs(&program.env)
            .current_dir(&program.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Inherited, it would write into our terminal; closed, some servers would die of a broken pipe.
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // Signals of the terminal go to our group only, so that Ctrl-C leaves us the time to end servers in good order.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let group = child.id();
        let missing = || io::Error::other("the program has no pipe");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = StderrTail::read(child.stderr.take().ok_or_else(missing)?);
        Ok((Self { child, group, stderr }, (stdout, stdin)))
    }

    /// Returns a handle to the collected standard error.
    pub(super) fn stderr(&self) -> StderrTail {
        self.stderr.clone()
    }

    /// Waits briefly for a program whose output has ended, kills the rest of its process group, and returns
    /// its exit status; `None` if it still runs after 0.5 s.
    pub(super) async fn exit_status(&mut self) -> Option<ExitStatus> {
        // Its children must end before `wait` frees its id.
        let ended = tokio::time::timeout(EXIT_LIMIT, async {
            while !self.has_ended() {
                tokio::time::sleep(PAUSE).await;
            }
        });
        ended.await.ok()?;
        self.signal_group(ServerEnding::Kill);
        let status = tokio::time::timeout(EXIT_LIMIT, self.child.wait()).await.ok()?.ok();
        self.group = None;
        status
    }

    /// Returns the last lines of the standard error with an introduction; empty if there are none. Waits up
    /// to 0.1 s for lines that are still on their way.
    pub(super) async fn last_lines(&self) -> String {
        // The lines that explain an end may still be on their way.
        drop(tokio::time::timeout(EXIT_LIMIT / 5, self.stderr.wait_for_end()).await);
        self.stderr.last_lines()
    }

    /// Blocks until the program has ended, for at most `limit`. Returns true if it has ended.
    fn wait_for_end(&mut self, limit: Duration) -> bool {
        let start = Instant::now();
        while !self.has_ended() {
            if start.elapsed() >= limit {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
        true
    }

    /// Returns true if the program has ended. Does not reap it, so that its id still names its process
    /// group.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let Some(pid) = self.group.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)) else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that there is no such child any more.
        waitid(WaitId::Pid(pid), options).map_or(true, |status| status.is_some())
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        self.child.try_wait().map_or(true, |status| status.is_some())
    }

    /// Sends the signal to all processes of the group.
    #[cfg(unix)]
    fn signal_group(&mut self, ending: ServerEnding) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let Some(pid) = self.group.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)) else { return };
        let signal = match ending {
            ServerEnding::Terminate => Signal::TERM,
            ServerEnding::Kill => Signal::KILL,
        };
        // A group without members cannot be signalled, and need not.
        let _ = kill_process_group(pid, signal);
    }

    #[cfg(not(unix))]
    fn signal_group(&mut self, _: ServerEnding) {
        drop(self.child.start_kill());
    }

    /// Returns true if the process group has a running member besides the program itself, found in `/proc`.
    #[cfg(target_os = "linux")]
    fn has_descendants(&self) -> bool {
        let Some(group) = self.group else { return false };
        let Ok(entries) = std::fs::read_dir("/proc") else { return true };
        let is_member = |pid: u32| {
            let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
            // After the name in parentheses: state, parent, group.
            let fields =
                stat.rsplit_once(')').map(|(_, fields)| fields.split_whitespace().collect::<Vec<_>>());
            fields.is_some_and(|fields| {
                fields.first() != Some(&"Z") && fields.get(2).and_then(|id| id.parse().ok()) == Some(group)
            })
        };
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.filter(|pid| *pid != group).any(is_member)
    }

    /// Returns true, because the members of a process group cannot be listed here.
    #[cfg(not(target_os = "linux"))]
    fn has_descendants(&self) -> bool {
        true
    }
}

/// Signal that ends a process group: a request to terminate, or a kill.
#[derive(Clone, Copy)]
enum ServerEnding {
    Terminate,
    Kill,
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if self.group.is_none() {
            return;
        }
        // Its input is closed by now. Then a signal to the whole group, since `npx` and `uvx` leave their children behind; then force.
        let has_ended = self.wait_for_end(CLOSE_LIMIT);
        if !has_ended || self.has_descendants() {
            self.signal_group(ServerEnding::Terminate);
            let start = Instant::now();
            while start.elapsed() < CLOSE_LIMIT && (!self.has_ended() || self.has_descendants()) {
                std::thread::sleep(PAUSE);
            }
            self.signal_group(ServerEnding::Kill);
            self.wait_for_end(CLOSE_LIMIT);
        }
        drop(self.child.try_wait());
    }
}

/// Collector of the last bytes that a program writes to its standard error, for messages. A task reads all
/// the time, because a full pipe would block the server. Clones share the bytes.
#[derive(Clone)]
pub(crate) struct StderrTail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    end: tokio::sync::watch::Receiver<bool>,
}

impl StderrTail {
    /// Starts the task that reads the pipe of a program's standard error to its end, and returns the
    /// collector.
    fn read(mut stderr: ChildStderr) -> Self {
        let bytes: Arc<Mutex<VecDeque<u8>>> = Arc::default();
        let (ended, end) = tokio::sync::watch::channel(false);
        let kept = bytes.clone();
        tokio::spawn(async move {
            let mut buffer = vec![0; 8 * 1024];
            while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&buffer[..count]);
                let excess = kept.len().saturating_sub(STDERR_BYTES);
                kept.drain(..excess);
            }
            ended.send_replace(true);
        });
        Self { bytes, end }
    }

    /// Waits until the program's standard error is closed.
    async fn wait_for_end(&self) {
        // An error means that the task is gone, and with it the pipe.
        drop(self.end.clone().wait_for(|ended| *ended).await);
    }

    /// Returns the last lines read so far with an introduction (`; its last lines: a | b`); empty if there
    /// are none.
    pub(crate) fn last_lines(&self) -> String {
        let bytes: Vec<u8> =
            self.bytes.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<String> =
            text.lines().map(|line| clean_line(line, SHOWN_CHARS)).filter(|line| !line.is_empty()).collect();
        if lines.is_empty() {
            return String::new();
        }
        let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
        format!("; its last lines: {}", shown.join(" | "))
    }
}
