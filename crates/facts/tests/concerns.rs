//! Error handling, logging and concurrency by syntax, joined over all files.

use std::sync::Arc;

use stategraph_facts::{Fact, FactKind, FactSubject, FactValue, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

fn facts(files: &[(&str, &str)]) -> Facts {
    Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))))
}

fn shown(fact: &Fact) -> Option<String> {
    let FactValue::Concern { construct, .. } = &fact.value else { return None };
    Some(construct.clone())
}

fn check(path: &str, text: &str, expected: &[&str]) {
    let mut found: Vec<String> =
        facts(&[(path, text)]).of_kind(FactKind::Concern).filter_map(shown).collect();
    found.sort();
    assert_eq!(found, expected, "{path}\n{text}");
}

#[test]
fn each_language_has_its_constructs() {
    for (path, text, expected) in [
        (
            "a.rs",
            "use thiserror::Error;\nuse tracing::info;\n#[derive(Debug, Error)]\npub enum StoreError { A }\nasync fn f() { info!(\"x\"); tokio::spawn(g()); x.unwrap(); panic!(\"y\"); }\n\
             #[cfg(test)]\nmod tests { fn t() { x.unwrap(); } }",
            &["StoreError", "async", "panic!", "tokio::spawn", "tracing::info!", "unwrap"][..],
        ),
        (
            "a.py",
            "import asyncio, logging\nlogger = logging.getLogger('x')\nclass AppError(Exception): pass\nasync def f():\n  logger.info('x')\n  await asyncio.gather(a)\n  try:\n    raise AppError('x')\n  except KeyError: pass\n",
            &[
                "AppError",
                "async",
                "asyncio.gather",
                "except",
                "logger.info",
                "logging.getLogger",
                "raise AppError",
            ],
        ),
        (
            "a.go",
            "package a\nimport (\"errors\"; \"log/slog\"; \"sync\")\nvar ErrGone = errors.New(\"gone\")\ntype E struct { mu sync.Mutex }\nfunc (e *E) Error() string { return \"\" }\nfunc f() { go g(); slog.Info(\"x\"); panic(\"y\") }",
            &["E", "ErrGone", "errors.New", "go", "panic", "slog.Info", "sync.Mutex"],
        ),
        (
            "A.java",
            "import org.slf4j.*;\nclass AppException extends RuntimeException { static Logger log = LoggerFactory.getLogger(A.class); synchronized void f() { log.info(\"x\"); throw new AppException(); } void g() { Executors.newFixedThreadPool(1); } }",
            &[
                "AppException",
                "Executors.newFixedThreadPool",
                "LoggerFactory.getLogger",
                "log.info",
                "synchronized",
                "throw AppException",
            ],
        ),
        (
            "a.ts",
            "import pino from 'pino';\nconst logger = pino();\nclass AppError extends Error {}\nasync function f() { logger.info('x'); try { await Promise.all(a); } catch (e) { throw new AppError('x'); } }",
            &["AppError", "Promise.all", "async", "catch", "logger.info", "pino", "throw AppError"],
        ),
        (
            "a.cs",
            "using Microsoft.Extensions.Logging;\nclass AppException : Exception { async Task F() { lock (x) {} _logger.LogInformation(\"x\"); await Task.WhenAll(a); throw new AppException(); } }",
            &[
                "AppException",
                "Task.WhenAll",
                "_logger.LogInformation",
                "async",
                "lock",
                "throw AppException",
            ],
        ),
        (
            "a.cpp",
            "#include <thread>\nclass Gone : public std::runtime_error {};\nvoid f() { std::thread t(g); try { throw Gone(); } catch (const Gone& e) {} spdlog::info(\"x\"); }",
            &["Gone", "catch", "std::thread", "throw Gone"],
        ),
        ("a.c", "void f(void) { pthread_create(a, b, c, d); perror(\"x\"); }", &["perror", "pthread_create"]),
        (
            "a.rb",
            "require 'logger'\nclass AppError < StandardError; end\nlog = Logger.new($stdout)\nThread.new { raise AppError }\n",
            &["AppError", "Logger.new", "Thread.new", "raise AppError"],
        ),
        (
            "a.php",
            "<?php\nuse Psr\\Log\\LoggerInterface;\nclass AppException extends \\Exception { function f() { $this->logger->info('x'); throw new AppException(); } }",
            &["AppException", "logger.info", "throw AppException"],
        ),
        (
            "a.sh",
            "#!/bin/bash\nset -euo pipefail\ntrap x ERR\nfoo &\nwait\n",
            &["&", "set -euo pipefail", "trap", "wait"],
        ),
        // Words in texts and comments are nothing, and a map is no logger.
        (
            "b.py",
            "# raise ValueError, threading.Thread\nx = 'logger.info(1)'\nmath.log(2)\nlog.info('y')\n",
            &[],
        ),
    ] {
        check(path, text, expected);
    }
}

#[test]
fn constructs_of_all_files_are_one_fact_without_those_of_tests() {
    let code = "import asyncio\nasyncio.run(a)\nasyncio.run(b)\n";
    let files = [("a.py", code), ("b.py", code), ("c.py", code), ("tests/test_a.py", code)];
    let all = facts(&files);
    let found: Vec<&Fact> = all.of_kind(FactKind::Concern).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(shown(found[0]).as_deref(), Some("asyncio.run"));
    assert_eq!(found[0].subject, FactSubject::Repository);
    let sources: Vec<String> = found[0].sources.iter().map(ToString::to_string).collect();
    assert_eq!(sources, ["a.py:2", "a.py:3", "b.py:2", "b.py:3", "c.py:2"]);
}

#[test]
fn errors_that_are_values_and_loggers_that_no_file_imports() {
    check(
        "a.cc",
        "Status f() { if (x) return Status::Corruption(\"x\"); return Status::OK(); }\nabsl::Status g() { return absl::InternalError(\"x\"); }\n",
        &["Status::Corruption", "absl::InternalError"],
    );
    let strategy =
        "class A {\n  static final class ExceptionWait<T extends Throwable> implements Wait {}\n}\n";
    check("A.java", strategy, &[]);
    let monitor =
        "class A\n  include MonitorMixin\n  def f\n    synchronize do\n      g\n    end\n  end\nend\n";
    check("a.rb", monitor, &["synchronize"]);
    check("a.rb", "class A\n  def f\n    logger.info 'x'\n    x.info 'z'\n  end\nend\n", &["logger.info"]);
    check("a.js", "const pino = require('pino')\nconst l = pino(options, stream)\n", &["pino"]);
    check("b.js", "const l = pino(options)\n", &[]);
}

#[test]
fn the_most_frequent_constructs_come_first() {
    let code = "import asyncio\nasyncio.run(a)\nasyncio.gather(b)\nasyncio.gather(c)\nasyncio.Event()\n";
    let all = facts(&[("a.py", code)]);
    let found: Vec<String> = all.of_kind(FactKind::Concern).filter_map(shown).collect();
    assert_eq!(found, ["asyncio.gather", "asyncio.Event", "asyncio.run"]);
}

#[test]
fn a_type_of_errors_has_the_places_that_raise_it_and_the_program_stands_before_its_build() {
    let files = [
        ("errors.py", "class GoneError(Exception):\n  pass\n"),
        ("setup.py", "raise GoneError()\n"),
        ("shop.py", "def f():\n  raise GoneError('x')\n"),
    ];
    let all = facts(&files);
    let found: Vec<String> = all
        .of_kind(FactKind::Concern)
        .map(|fact| {
            let sources: Vec<String> = fact.sources.iter().map(ToString::to_string).collect();
            format!("{} {:?} {}", shown(fact).unwrap_or_default(), fact.role, sources.join(" "))
        })
        .collect();
    assert_eq!(
        found,
        [
            "raise GoneError Runtime shop.py:2 setup.py:1",
            "GoneError Runtime shop.py:2 setup.py:1 errors.py:1",
        ]
    );
}

/// Returns the places of one construct.
fn places(files: &[(&str, &str)], construct: &str) -> Vec<String> {
    let all = facts(files);
    let found = all.of_kind(FactKind::Concern).find(|fact| shown(fact).as_deref() == Some(construct));
    found.map(|fact| fact.sources.iter().map(ToString::to_string).collect()).unwrap_or_default()
}

#[test]
fn a_type_of_errors_of_go_has_the_places_that_make_it_before_its_definition() {
    let files = [
        (
            "errors.go",
            "package a\n\ntype GoneError struct {\n\tId string\n}\n\nfunc newGoneError(id string) error {\n\treturn GoneError{id}\n}\n\nfunc (e GoneError) Error() string {\n\treturn e.Id\n}\n",
        ),
        (
            "shop.go",
            "package a\n\nfunc f(err error) (int, error) {\n\tif errors.As(err, &GoneError{}) {\n\t\treturn 0, nil\n\t}\n\treturn 0, &GoneError{Id: \"x\"}\n}\n",
        ),
    ];
    assert_eq!(places(&files, "GoneError"), ["errors.go:8", "shop.go:7", "errors.go:3"]);
    check("shop.go", files[1].1, &["errors.As"]);
}

#[test]
fn a_static_function_of_a_type_of_errors_raises_it() {
    let php = [
        (
            "Gone.php",
            "<?php\nclass Gone extends \\LogicException {\n  public static function of($id) { return new self($id); }\n}\n",
        ),
        (
            "Shop.php",
            "<?php\nclass Shop {\n  function f() { throw Gone::of(1); }\n  function g() { throw Other::of(1); }\n}\n",
        ),
    ];
    assert_eq!(places(&php, "throw Gone"), ["Shop.php:3"]);
    assert_eq!(places(&php, "throw"), ["Shop.php:4"]);
    assert_eq!(places(&php, "Gone"), ["Shop.php:3", "Gone.php:2"]);
    check("a.rb", "def f\n  raise GoneError.for(1)\nend\n", &["raise GoneError"]);
    check("A.java", "class A { void f() { throw GoneException.of(1); } }\n", &["throw GoneException"]);
    check("a.ts", "function f() { throw GoneError.of(1); }\n", &["throw GoneError"]);
    check("A.cs", "class A { void F() { throw GoneException.Of(1); } }\n", &["throw GoneException"]);
    check("A.cs", "class A { void F() { throw GoneError.GetLastException(); } }\n", &["throw"]);
}

#[test]
fn channels_of_go_are_received_from_as_well() {
    let text = "package a\nfunc f(c chan int) {\n\tx := <-c\n\tselect {\n\tcase <-c:\n\t}\n\tc <- x\n}\n";
    let all = facts(&[("a.go", text)]);
    let sources = all
        .of_kind(FactKind::Concern)
        .find(|fact| shown(fact).as_deref() == Some("<-"))
        .map(|fact| fact.sources.iter().map(|it| it.start).collect::<Vec<_>>());
    assert_eq!(sources, Some(vec![3, 5, 7]));
}
