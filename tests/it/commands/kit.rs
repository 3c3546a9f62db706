//! A folder of its own for each test, and the programs run in it with an empty environment.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use tokio::process::{Child, Command};

/// An idea of several sentences: the rules argue two rounds about it.
pub(super) const IDEA: &str = "A shared shopping list for families. Members add items and tick them off. \
     The list syncs between phones and warns about duplicates. A module manages tasks. \
     A module supports tasks.";

/// A folder that the programs run in.
pub(super) struct Place {
    folder: tempfile::TempDir,
}

/// The exit code and the output of a program.
#[derive(Debug)]
pub(super) struct Done {
    /// The exit code; none after a kill.
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("data is UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

impl Done {
    /// The same, after a look at the exit code.
    #[track_caller]
    pub(super) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self
    }

    /// The command after `to continue: ` or another introduction.
    #[track_caller]
    pub(super) fn command(&self, introduction: &str) -> String {
        let line = self.err.lines().find_map(|line| line.strip_prefix(introduction));
        line.unwrap_or_else(|| panic!("no `{introduction}` in {}", self.err)).to_owned()
    }

    /// The thread that the first line names.
    #[track_caller]
    pub(super) fn thread(&self) -> String {
        self.command("thread ")
    }
}

impl Place {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        std::fs::write(self.at(name), content).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// `ard` with these arguments, not yet started.
    pub(super) fn ard<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        self.program(env!("CARGO_BIN_EXE_ard"), arguments)
    }

    /// `graph` with these arguments, not yet started.
    pub(super) fn graph<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        self.program(env!("CARGO_BIN_EXE_graph"), arguments)
    }

    /// A line for a shell that finds both programs.
    pub(super) fn shell(&self, line: &str) -> Command {
        let mut command = self.program("/bin/sh", ["-c", line]);
        command.env("PATH", format!("{}:/usr/bin:/bin", programs().display()));
        command
    }

    fn program<A: AsRef<OsStr>>(&self, program: &str, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path()).env_clear().kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Writes the configuration for a debate over the server at `base_url`.
    pub(super) fn configure(&self, base_url: &str) {
        self.configure_with(base_url, "");
    }

    /// The same with further settings of the provider.
    pub(super) fn configure_with(&self, base_url: &str, settings: &str) {
        self.write(
            "config.yaml",
            format!(
                "architect_model: local/architect\nreviewer_model: local/reviewer\nmax_iterations: 5\n\
                 output_path: spec.md\nproviders:\n  local: {{ base_url: \"{base_url}\"{settings} }}\n"
            ),
        );
    }
}

/// Returns the folder of the programs.
fn programs() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_ard")).parent().unwrap()
}

/// Runs to the end.
pub(super) async fn done(mut command: Command) -> Done {
    command.output().await.unwrap().into()
}

/// Waits for a started program.
pub(super) async fn ended(child: Child) -> Done {
    child.wait_with_output().await.unwrap().into()
}

/// Sends a signal, such as `INT`.
pub(super) fn signal(child: &Child, name: &str) {
    let pid = child.id().expect("it has not been waited for").to_string();
    let sent = std::process::Command::new("/bin/sh").args(["-c", &format!("kill -{name} {pid}")]).status();
    assert!(sent.unwrap().success());
}
