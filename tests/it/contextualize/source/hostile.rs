//! Clones from hostile places: git gets no secret, runs no program and leaves nothing.

use super::*;

#[tokio::test]
async fn without_git_the_error_says_so() {
    // CTX-7
    let empty = tempfile::tempdir().unwrap();
    let mut scene = Scene::new("https://127.0.0.1:1");
    scene.env = env(&[("PATH", empty.path().to_str().unwrap())]);
    let error = scene.error(None).await;
    assert_eq!(error, SourceError::NoGit { url: URL.to_owned() });
    assert!(error.hint().contains("install git"));
    scene.options.temporary = empty.path().join("none");
    assert!(matches!(scene.error(None).await, SourceError::TemporaryFolder { .. }));
}

#[tokio::test]
async fn git_gets_neither_secrets_nor_prompts_and_its_message_is_cleaned() {
    // CTX-145, CTX-125
    let script = "env > \"$HOME/../../seen.env\"; echo \"$@\" >> \"$HOME/../../seen.args\"\n\
        case \"$*\" in *fetch*) printf 'remote: hi\\nfatal: no \\033[31mhttps://me:hidden@host/x\\342\\200\\256\\nafter\\n' >&2; exit 128;; esac";
    let (scene, _bin) = Scene::new("https://127.0.0.1:1").with_script(script);
    let error = scene.error(None).await;
    assert_eq!(
        error,
        SourceError::CloneFailed { url: URL.to_owned(), reason: "fatal: no [31mhttps://host/x".to_owned() }
    );
    let seen = fs::read_to_string(scene.temporary.path().join("seen.env")).unwrap();
    assert!(!seen.contains("sk-1") && !seen.contains("evil"), "{seen}");
    for line in [
        "GIT_TERMINAL_PROMPT=0",
        "GIT_ASKPASS=",
        "GIT_CONFIG_NOSYSTEM=1",
        "GIT_CONFIG_GLOBAL=/dev/null",
        "GIT_LFS_SKIP_SMUDGE=1",
        "GIT_ALLOW_PROTOCOL=https",
    ] {
        assert!(seen.lines().any(|found| found == line), "{line} in {seen}");
    }
    let seen = fs::read_to_string(scene.temporary.path().join("seen.args")).unwrap();
    let fetch = seen.lines().find(|line| line.contains("fetch")).unwrap();
    assert!(
        fetch.contains("-c credential.helper= ") && fetch.contains("-c core.hooksPath=/dev/null "),
        "{fetch}"
    );
    let end = "fetch --quiet --depth=1 --no-tags --no-recurse-submodules -- https://127.0.0.1:1/acme/shop +HEAD:refs/heads/clone";
    assert!(fetch.ends_with(end), "{fetch}");
}

#[tokio::test]
async fn no_program_of_the_user_or_of_the_repository_runs() {
    // CTX-145
    let origin = Origin::with(&[
        (".gitattributes", "* filter=evil\n*.bin filter=lfs diff=lfs merge=lfs -text\n"),
        (".gitmodules", "[submodule \"m\"]\n\tpath = m\n\turl = file:///etc\n"),
        ("a.bin", "version https://git-lfs.github.com/spec/v1\n"),
        ("b.txt", "b"),
    ]);
    let scene = Scene::new(&origin.file_url());
    let home = tempfile::tempdir().unwrap();
    let ran = home.path().join("ran");
    let evil = format!("touch {}", ran.display());
    stategraph_testing::put(home.path(), "hooks/post-checkout", format!("#!/bin/sh\n{evil}\n").as_bytes());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let hook = home.path().join("hooks/post-checkout");
        fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let config = format!(
        "[core]\n\thooksPath = {0}/hooks\n\tfsmonitor = {evil}\n[filter \"evil\"]\n\tsmudge = {evil}\n\
         [init]\n\ttemplateDir = {0}\n[credential]\n\thelper = \"!{evil}\"\n",
        home.path().display()
    );
    fs::write(home.path().join(".gitconfig"), config).unwrap();
    let user = env(&[
        ("PATH", &std::env::var("PATH").unwrap()),
        ("HOME", home.path().to_str().unwrap()),
        ("GIT_CONFIG_GLOBAL", home.path().join(".gitconfig").to_str().unwrap()),
        ("GIT_TEMPLATE_DIR", home.path().to_str().unwrap()),
    ]);
    let opened = parse(URL).unwrap().open(None, &scene.options, user.as_ref()).await.unwrap();
    assert!(!ran.exists());
    assert_eq!(files(&opened)["a.bin"], "version https://git-lfs.github.com/spec/v1\n");
    assert!(!opened.root().absolute().join("m").exists(), "no submodule");
    // The same configuration would run it where it is read.
    let check = tempfile::tempdir().unwrap();
    let mut plain = std::process::Command::new("git");
    plain.args(["clone", "--quiet", &format!("{}/acme/shop", origin.file_url())]).arg(check.path().join("x"));
    assert!(plain.env("GIT_CONFIG_GLOBAL", home.path().join(".gitconfig")).status().is_ok() && ran.exists());
}

#[tokio::test]
async fn only_the_protocol_of_the_base_is_used() {
    // CTX-145
    let origin = Origin::with(&[("a.txt", "a")]);
    let mut scene = Scene::new("ext::sh -c 'touch ran'");
    assert!(matches!(scene.error(None).await, SourceError::CloneFailed { .. }));
    scene.options.base_url = origin.repo().parent().unwrap().parent().unwrap().display().to_string();
    assert!(matches!(scene.error(None).await, SourceError::CloneFailed { .. }));
    assert_eq!(CloneOptions::default().base_url, "https://github.com");
}

#[tokio::test]
async fn folders_of_killed_runs_are_removed_a_day_later() {
    // CTX-4
    let origin = Origin::with(&[("a.txt", "a")]);
    let scene = Scene::new(&origin.file_url());
    let make = |name: &str, hours: u64| {
        let folder = scene.temporary.path().join(name);
        stategraph_testing::put(&folder, "tree/shop/a.txt", b"a");
        let lock = fs::File::create(folder.join("lock")).unwrap();
        let then = SystemTime::now() - Duration::from_secs(hours * 3600);
        fs::File::open(&folder).unwrap().set_modified(then).unwrap();
        lock
    };
    make("stategraph-clone-old", 25);
    make("stategraph-clone-new", 23);
    make("another-old", 48);
    let in_use = make("stategraph-clone-used", 48);
    in_use.lock().unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("another-old", scene.temporary.path().join("stategraph-clone-link")).unwrap();
    drop(scene.open(None).await.unwrap());
    let mut left = scene.left();
    left.sort();
    assert_eq!(
        left,
        ["another-old", "stategraph-clone-link", "stategraph-clone-new", "stategraph-clone-used"]
    );
    assert!(scene.temporary.path().join("another-old/tree/shop/a.txt").exists());
}
