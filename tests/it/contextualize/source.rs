//! The repository of a run: local folders and clones.

mod hostile;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use stategraph::llm::Env;
use stategraph::repo::{Files as _, PathError, WalkLimits};
use stategraph::workflows::contextualize::source::{
    CLONE_BYTES, CLONE_TIME, CloneOptions, GitHubUrl, OpenedRepository, RepositorySource, SourceError,
};

use super::git_server::{GitServer, Origin, Play, git};
use super::kit::env;

const URL: &str = "https://github.com/acme/shop";

fn parse(text: &str) -> Result<RepositorySource, SourceError> {
    RepositorySource::parse(OsStr::new(text), Path::new("/base"))
}

fn local(folder: &Path) -> RepositorySource {
    RepositorySource::Folder(folder.to_owned())
}

async fn open_local(folder: &Path) -> Result<OpenedRepository, SourceError> {
    local(folder).open(None, &CloneOptions::default(), &BTreeMap::<String, String>::new()).await
}

/// A place for temporary folders, and the options of clones into it.
struct Scene {
    temporary: tempfile::TempDir,
    options: CloneOptions,
    env: Arc<dyn Env>,
}

impl Scene {
    fn new(base_url: &str) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let options = CloneOptions {
            base_url: base_url.to_owned(),
            temporary: temporary.path().to_owned(),
            ..CloneOptions::default()
        };
        Self { temporary, options, env: env(&[("PATH", &std::env::var("PATH").unwrap())]) }
    }

    async fn open(&self, commit: Option<&str>) -> Result<OpenedRepository, SourceError> {
        parse(URL).unwrap().open(commit, &self.options, self.env.as_ref()).await
    }

    async fn error(&self, commit: Option<&str>) -> SourceError {
        self.open(commit).await.map(|_| ()).expect_err("no clone")
    }

    /// The names of all that is left of clones.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.temporary.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Puts a script in the place of `git`.
    fn with_script(mut self, script: &str) -> (Self, tempfile::TempDir) {
        let bin = tempfile::tempdir().unwrap();
        fs::write(bin.path().join("git"), format!("#!/bin/sh\n{script}\n")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(bin.path().join("git"), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
        self.env = env(&[("PATH", &path), ("SECRET_KEY", "sk-1"), ("GIT_SSH_COMMAND", "evil")]);
        (self, bin)
    }
}

/// The files below a root, with their texts.
fn files(opened: &OpenedRepository) -> BTreeMap<String, String> {
    let walk = opened.root().walk(WalkLimits::default());
    let read = |path: PathBuf| fs::read_to_string(path).unwrap();
    walk.files.iter().map(|file| (file.path.to_string(), read(file.path.absolute().to_owned()))).collect()
}

#[test]
fn urls_of_repositories_on_github_are_known_by_their_form() {
    // CTX-3, CTX-124
    for text in [
        "https://github.com/acme/shop",
        "https://github.com/acme/shop/",
        "https://github.com/acme/shop.git",
        "https://github.com/acme/shop.git/",
        "HTTPS://GitHub.com/acme/shop",
        " https://github.com/acme/shop ",
    ] {
        let RepositorySource::GitHub(url) = parse(text).unwrap() else { panic!("{text} is a path") };
        assert_eq!((url.to_string().as_str(), url.repo()), (URL, "shop"), "{text}");
    }
    for text in [
        "https://gitlab.com/acme/shop",
        "http://github.com/acme/shop",
        "git@github.com:acme/shop.git",
        "ssh://github.com/acme/shop",
        "github.com/acme/shop",
        "https://github.com/acme",
        "https://github.com/acme/",
        "https://github.com//shop",
        "https://github.com/acme/shop/tree/main",
        "https://github.com/acme/shop?tab=readme",
        "https://github.com/acme/..",
        "https://github.com/-acme/shop",
        "https://github.com/acme/shop --upload-pack=x",
        "https://github.com.evil.example/acme/shop",
        "https://github.com/acme/.git",
        "-rf",
        "../shop",
    ] {
        assert_eq!(parse(text), Ok(local(&Path::new("/base").join(text))), "{text}");
    }
    let stored = serde_json::to_string(&parse(URL).unwrap()).unwrap();
    assert_eq!(stored, "{\"git_hub\":\"https://github.com/acme/shop\"}");
    assert_eq!(serde_json::from_str::<RepositorySource>(&stored).unwrap(), parse(URL).unwrap());
    assert!(serde_json::from_str::<GitHubUrl>("\"https://evil.example/a/b\"").is_err());
}

#[test]
fn a_url_that_cannot_be_cloned_says_which_can() {
    // CTX-7
    for text in ["https://gitlab.com/acme/shop", "git@github.com:acme/shop.git", "github.com/acme/shop"] {
        let error = parse(text).unwrap().check().unwrap_err();
        assert_eq!(error, SourceError::OtherUrl, "{text}");
        assert!(error.hint().contains("https://github.com/OWNER/REPO"), "{}", error.hint());
    }
    for text in
        ["https://me:hidden@github.com/acme/shop", "https://hidden@gitlab.com/x", "ssh://hidden@host/x"]
    {
        let error = parse(text).unwrap_err();
        assert_eq!(error, SourceError::Credentials);
        assert!(!format!("{error} {error:?} {}", error.hint()).contains("hidden"));
    }
}

#[tokio::test]
async fn a_local_folder_is_opened_by_its_absolute_path() {
    // CTX-3, CTX-7, CTX-100, CTX-103
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("shop");
    fs::create_dir(&folder).unwrap();
    fs::write(home.path().join("file"), "x").unwrap();
    let opened = open_local(&folder.join("../shop/.")).await.unwrap();
    let real = folder.canonicalize().unwrap();
    assert_eq!((opened.root().absolute(), opened.name()), (real.as_path(), "shop"));
    assert_eq!((opened.source_repo(), opened.commit()), (real.to_str().unwrap(), None));
    assert!(!opened.is_clone());
    drop(opened);
    assert!(folder.is_dir(), "only clones are removed");
    let missing = open_local(&home.path().join("none")).await.unwrap_err();
    assert!(missing.to_string().starts_with("no directory"), "{missing}");
    assert_eq!(local(&home.path().join("none")).check(), Err(missing));
    let no_folder = open_local(&home.path().join("file")).await.unwrap_err();
    assert!(no_folder.to_string().ends_with("is not a directory"), "{no_folder}");
}

#[tokio::test]
#[cfg(unix)]
async fn no_path_of_a_repository_leads_outside() {
    // CTX-100, CTX-101, CTX-102
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("shop");
    fs::create_dir(&folder).unwrap();
    stategraph_testing::put(home.path(), "shop-other/secret", b"x");
    std::os::unix::fs::symlink("../shop-other/secret", folder.join("link")).unwrap();
    let opened = open_local(&folder).await.unwrap();
    assert!(matches!(opened.root().path("link"), Err(PathError::LinkOutside { .. })));
    assert!(matches!(opened.root().path("../shop-other/secret"), Err(PathError::Escapes { .. })));
    let sibling = home.path().join("shop-other/secret");
    assert!(matches!(opened.root().path(sibling), Err(PathError::Absolute { .. })));
    assert_eq!(files(&opened), BTreeMap::new());
}

#[tokio::test]
async fn the_commit_of_a_local_folder_is_read_without_running_git() {
    let origin = Origin::with(&[("a.txt", "a")]);
    let repo = origin.repo();
    let head = git(&repo, &["rev-parse", "HEAD"]);
    let commit = async |folder: &Path| open_local(folder).await.unwrap().commit().map(str::to_owned);
    assert_eq!(commit(&repo).await.as_ref(), Some(&head), "a branch");
    git(&repo, &["pack-refs", "--all"]);
    assert!(!repo.join(".git/refs/heads/main").exists());
    assert_eq!(commit(&repo).await.as_ref(), Some(&head), "a packed branch");
    git(&repo, &["worktree", "add", "--quiet", "../tree", "-b", "other"]);
    assert_eq!(commit(&repo.join("../tree")).await.as_ref(), Some(&head), "a linked work tree");
    git(&repo, &["checkout", "--quiet", "--detach"]);
    assert_eq!(commit(&repo).await.as_ref(), Some(&head), "no branch");
    assert_eq!(commit(&Origin::empty().repo()).await, None, "no commit");
    for hostile in ["gitdir: /dev", "gitdir: /", "gitdir:", "x", "gitdir: .git"] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".git"), hostile).unwrap();
        assert_eq!(commit(folder.path()).await, None, "{hostile}");
    }
    for hostile in ["ref: ../../secret", "ref: /etc/passwd", "ref: ", "ref: HEAD", "0123"] {
        let folder = tempfile::tempdir().unwrap();
        stategraph_testing::put(folder.path(), ".git/HEAD", hostile.as_bytes());
        stategraph_testing::put(folder.path(), "secret", b"c0ffee");
        assert_eq!(commit(folder.path()).await, None, "{hostile}");
    }
}

#[tokio::test]
async fn a_url_is_cloned_without_history_and_the_clone_is_removed() {
    // CTX-3, CTX-4, CTX-125
    let origin = Origin::with(&[("README.md", "old")]);
    stategraph_testing::put(&origin.repo(), "README.md", b"# Shop\n");
    stategraph_testing::put(&origin.repo(), "src/main.rs", b"fn main() {}\n");
    let head = origin.commit();
    let scene = Scene::new(&GitServer::start(&origin, Play::Serves).base_url);
    let opened = scene.open(None).await.unwrap();
    assert_eq!((opened.source_repo(), opened.name(), opened.commit()), (URL, "shop", Some(head.as_str())));
    let expected = [("README.md", "# Shop\n"), ("src/main.rs", "fn main() {}\n")];
    assert_eq!(files(&opened), expected.map(|(path, text)| (path.to_owned(), text.to_owned())).into());
    let root = opened.root().absolute().to_owned();
    assert!(root.starts_with(scene.temporary.path().canonicalize().unwrap()) && root.ends_with("shop"));
    assert!(opened.is_clone() && !root.join(".git").exists());
    assert_eq!(scene.left().len(), 1);
    drop(opened);
    assert_eq!(scene.left(), Vec::<String>::new());
}

#[tokio::test]
async fn a_clone_and_a_local_folder_give_the_same_for_one_commit() {
    // CTX-123, CTX-125
    let origin = Origin::with(&[("a/b.txt", "b"), ("c.txt", "line\r\nend"), (".gitignore", "*.log\n")]);
    let clone = Scene::new(&origin.file_url());
    let clone = clone.open(None).await.unwrap();
    let folder = open_local(&origin.repo()).await.unwrap();
    assert_eq!(files(&clone), files(&folder));
    assert_eq!((clone.commit(), clone.name()), (folder.commit(), folder.name()));
    assert_ne!(clone.source_repo(), folder.source_repo());
}

#[tokio::test]
async fn a_resumed_run_gets_the_commit_that_it_began_with() {
    // CTX-4
    let origin = Origin::with(&[("a.txt", "one")]);
    let first = git(&origin.repo(), &["rev-parse", "HEAD"]);
    stategraph_testing::put(&origin.repo(), "a.txt", b"two");
    origin.commit();
    let scene = Scene::new(&GitServer::start(&origin, Play::Serves).base_url);
    let opened = scene.open(Some(&first)).await.unwrap();
    assert_eq!(opened.commit(), Some(first.as_str()));
    assert_eq!(files(&opened)["a.txt"], "one");
    let gone = "0123456789012345678901234567890123456789";
    for commit in [gone, "--upload-pack=evil", "main"] {
        let error = scene.error(Some(commit)).await;
        let expected = SourceError::CommitGone { url: URL.to_owned(), commit: commit.to_owned() };
        assert_eq!(error, expected);
        assert!(error.hint().contains("start a new run"));
    }
}

#[tokio::test]
async fn a_repository_without_commits_is_an_empty_folder() {
    // CTX-146
    let origin = Origin::empty();
    let scene = Scene::new(&GitServer::start(&origin, Play::Serves).base_url);
    let opened = scene.open(None).await.unwrap();
    assert_eq!((opened.commit(), files(&opened)), (None, BTreeMap::new()));
}

#[tokio::test]
async fn a_repository_that_is_not_there_is_an_error_of_one_line() {
    // CTX-7
    let origin = Origin::with(&[("a.txt", "a")]);
    fs::rename(origin.repo(), origin.repo().with_file_name("other")).unwrap();
    let scene = Scene::new(&GitServer::start(&origin, Play::Serves).base_url);
    let error = scene.error(None).await;
    let SourceError::CloneFailed { url, reason } = &error else { panic!("{error:?}") };
    assert!(url == URL && reason.contains("not found") && !reason.contains('\n'), "{reason}");
    assert!(error.hint().contains("clone it yourself"));
    assert_eq!(scene.left(), Vec::<String>::new(), "CTX-4: removed after an error too");
}

#[tokio::test]
async fn a_server_that_asks_for_a_password_is_not_answered() {
    // CTX-145
    let origin = Origin::with(&[("a.txt", "a")]);
    let scene = Scene::new(&GitServer::start(&origin, Play::AsksForPassword).base_url);
    let error = scene.error(None).await;
    assert_eq!(error, SourceError::PasswordAsked { url: URL.to_owned() });
    assert!(error.to_string().contains("private or does not exist"));
    assert_eq!(scene.left(), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_that_never_answers_ends_at_the_time_limit_with_all_processes() {
    // CTX-7, CTX-145
    assert_eq!(CloneOptions::default().time_limit, Duration::from_mins(2));
    assert_eq!(CLONE_TIME, Duration::from_mins(2));
    let server = GitServer::start(&Origin::with(&[("a.txt", "a")]), Play::Silent);
    let mut scene = Scene::new(&server.base_url);
    scene.options.time_limit = Duration::from_secs(1);
    let error = scene.error(None).await;
    assert_eq!(error, SourceError::TimedOut { url: URL.to_owned(), seconds: 1 });
    assert_eq!(scene.left(), Vec::<String>::new());
    // The helper of git that holds the connection is gone too.
    server.closed.recv_timeout(Duration::from_secs(20)).expect("the connection is closed");
}

#[tokio::test]
async fn a_clone_that_is_cancelled_leaves_nothing() {
    // CTX-4
    let server = GitServer::start(&Origin::with(&[("a.txt", "a")]), Play::Silent);
    let scene = Scene::new(&server.base_url);
    tokio::select! {
        _ = scene.open(None) => panic!("it cannot end"),
        () = async { while scene.left().is_empty() { tokio::time::sleep(Duration::from_millis(20)).await } } => {}
    }
    assert_eq!(scene.left(), Vec::<String>::new());
    tokio::select! {
        _ = scene.open(None) => panic!("it cannot end"),
        () = tokio::time::sleep(Duration::from_secs(1)) => {}
    }
    assert_eq!(scene.left(), Vec::<String>::new());
    server.closed.recv_timeout(Duration::from_secs(20)).expect("the connection is closed");
}

#[tokio::test]
async fn a_clone_above_the_size_limit_is_stopped() {
    // CTX-145
    assert_eq!((CloneOptions::default().size_limit, CLONE_BYTES), (500_000_000, 500_000_000));
    let mut noise = String::new();
    while noise.len() < 3_000_000 {
        noise.push_str(&noise_of(noise.len() as u64));
    }
    let zeros = "0".repeat(3_000_000);
    for (text, what) in [(noise, "a large transfer"), (zeros, "a small transfer of a large file")] {
        let origin = Origin::with(&[("big.txt", &text)]);
        let mut scene = Scene::new(&origin.file_url());
        scene.options.size_limit = 1_000_000;
        let error = scene.error(None).await;
        assert_eq!(error, SourceError::TooLarge { url: URL.to_owned(), limit: 1_000_000 }, "{what}");
        assert!(error.to_string().contains("more than 1 MB"), "{error}");
        assert_eq!(scene.left(), Vec::<String>::new());
    }
    let many: Vec<String> = (0..3_000).map(|number| format!("d{}/f{number}", number % 50)).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "")).collect();
    let mut scene = Scene::new(&Origin::with(&many).file_url());
    scene.options.size_limit = 1_000_000;
    let origin = Origin::with(&many);
    scene.options.base_url = origin.file_url();
    assert!(
        matches!(scene.error(None).await, SourceError::TooLarge { .. }),
        "many empty files fill a disk too"
    );
}

/// Text that no compression makes smaller.
fn noise_of(seed: u64) -> String {
    let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let words: Vec<String> = (0..64).map(|_| format!("{:016x}", next())).collect();
    words.concat()
}

#[tokio::test]
async fn a_size_limit_holds_during_the_transfer() {
    // CTX-145
    let script = "case \"$*\" in *fetch*) while :; do head -c 1000000 /dev/zero >> \"$GIT_DIR/pack\"; sleep 0.02; done;; esac";
    let (mut scene, _bin) = Scene::new("https://127.0.0.1:1").with_script(script);
    scene.options.size_limit = 20_000_000;
    scene.options.time_limit = Duration::from_mins(1);
    assert!(matches!(scene.error(None).await, SourceError::TooLarge { .. }));
    assert_eq!(scene.left(), Vec::<String>::new());
}

#[tokio::test]
async fn paths_that_are_too_long_are_refused_before_they_are_written() {
    let origin = Origin::empty();
    let deep = vec!["d"; 600].join("/");
    let id = {
        fs::write(origin.repo().join("x"), "x").unwrap();
        git(&origin.repo(), &["hash-object", "-w", "x"])
    };
    git(&origin.repo(), &["update-index", "--add", "--cacheinfo", &format!("100644,{id},{deep}")]);
    git(&origin.repo(), &["commit", "--quiet", "--message", "x"]);
    let scene = Scene::new(&origin.file_url());
    let error = scene.error(None).await;
    assert_eq!(error, SourceError::LongPath { url: URL.to_owned(), bytes: 1_199 });
}
