//! Python's manifests: `pyproject.toml` of PEP 621 and of Poetry, `requirements.txt`, and `setup.py`, which is a program and is not
//! run (CTX-14, 15).

use toml::{Table, Value};

use super::{Manifest, Scope, reason, with_condition};

pub(super) fn pyproject(text: &str, found: &mut Manifest) -> Result<(), String> {
    let root: Table = text.parse().map_err(reason)?;
    let empty = Table::new();
    let table =
        |path: &[&str]| path.iter().try_fold(&root, |at, key| at.get(*key)?.as_table()).unwrap_or(&empty);
    let (project, poetry) = (table(&["project"]), table(&["tool", "poetry"]));
    let said =
        |key: &str| project.get(key).or_else(|| poetry.get(key)).and_then(Value::as_str).map(str::to_owned);
    found.name = said("name");
    found.version = said("version");
    found.description = said("description");
    list(project.get("dependencies"), Scope::Runtime, found);
    for extra in table(&["project", "optional-dependencies"]).values() {
        list(Some(extra), Scope::Optional, found);
    }
    for group in table(&["dependency-groups"]).values() {
        list(Some(group), Scope::Dev, found);
    }
    list(table(&["build-system"]).get("requires"), Scope::Build, found);
    poetry_table(poetry.get("dependencies"), Scope::Runtime, found);
    poetry_table(poetry.get("dev-dependencies"), Scope::Dev, found);
    for group in table(&["tool", "poetry", "group"]).values() {
        poetry_table(group.get("dependencies"), Scope::Dev, found);
    }
    for scripts in [
        table(&["project", "scripts"]),
        table(&["project", "gui-scripts"]),
        table(&["tool", "poetry", "scripts"]),
    ] {
        found.entry_points.extend(scripts.values().filter_map(Value::as_str).map(str::to_owned));
        let named =
            scripts.iter().filter_map(|(name, starts)| Some((name.clone(), starts.as_str()?.to_owned())));
        found.programs.extend(named);
    }
    Ok(())
}

fn list(requirements: Option<&Value>, scope: Scope, found: &mut Manifest) {
    for requirement in requirements.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        require(requirement, scope, found);
    }
}

fn poetry_table(table: Option<&Value>, scope: Scope, found: &mut Manifest) {
    for (name, value) in
        table.and_then(Value::as_table).into_iter().flatten().filter(|(name, _)| *name != "python")
    {
        let version = value.as_str().or_else(|| value.get("version")?.as_str());
        let optional = value.get("optional").and_then(Value::as_bool) == Some(true);
        let said = |key: &str| value.get(key).and_then(Value::as_str);
        let python = said("python").map(|python| format!("python {python}"));
        let condition = said("markers").map(str::to_owned).or(python).unwrap_or_default();
        let version = with_condition(version.unwrap_or_default(), &condition);
        found.needs(if optional { Scope::Optional } else { scope }, name, Some(&version));
    }
}

/// Parses a requirement of PEP 508, such as `name[extra] >=1,<2 ; marker` or `name @ url`, and adds it as a
/// dependency.
fn require(requirement: &str, scope: Scope, found: &mut Manifest) {
    let plain = requirement.split(" #").next().unwrap_or_default();
    let (plain, marker) = plain.split_once(';').unwrap_or((plain, ""));
    let plain = plain.trim();
    let end = plain.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(plain.len());
    let (name, rest) = plain.split_at(end);
    if name.is_empty() {
        return;
    }
    let rest = rest.trim_start();
    let version =
        rest.strip_prefix('[').and_then(|extras| extras.split_once(']')).map_or(rest, |(_, version)| version);
    let version = version.trim().trim_start_matches('(').trim_end_matches(')').trim_start_matches('@').trim();
    let scope = if marker.contains("extra ==") { Scope::Optional } else { scope };
    found.needs(scope, name, Some(&with_condition(version, marker.trim())));
}

/// Reads a `requirements.txt`. Requirements below a comment such as `# Testing` are for developers; all are,
/// if the list installs the project itself.
pub(super) fn requirements(text: &str, found: &mut Manifest) -> Result<(), String> {
    let joined = text.replace("\\\n", " ").replace("\\\r\n", " ");
    // A list that installs the project itself is that of its developers.
    let is_editable =
        |line: &str| line.strip_prefix("-e").is_some_and(|path| path.trim_start().starts_with('.'));
    let of_all =
        if joined.lines().any(|line| is_editable(line.trim())) { Scope::Dev } else { Scope::Runtime };
    let mut scope = of_all;
    for line in joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('-')) {
        if let Some(heading) = line.strip_prefix('#') {
            scope = if is_for_developers(heading) { Scope::Dev } else { of_all };
            continue;
        }
        let plain = line.split(" --").next().unwrap_or(line);
        // A bare URL or path names no package.
        if !plain.contains("://") || plain.contains('@') {
            require(plain, scope, found);
        }
    }
    Ok(())
}

/// Returns true if a comment is the heading of requirements that only developers need, such as `# Testing`:
/// at most three words, one of them known.
fn is_for_developers(heading: &str) -> bool {
    const WORDS: &[&str] = &[
        "test",
        "lint",
        "dev",
        "doc",
        "packag",
        "format",
        "typing",
        "coverage",
        "style",
        "pre-commit",
        "debug",
    ];
    let lower = heading.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.len() <= 3 && words.iter().any(|word| WORDS.iter().any(|start| word.starts_with(start)))
}

/// Reads a list of requirements that only developers need, such as `requirements-dev.txt`.
pub(super) fn dev_requirements(text: &str, found: &mut Manifest) -> Result<(), String> {
    requirements(text, found)?;
    found.dependencies.iter_mut().for_each(|needed| needed.scope = Scope::Dev);
    Ok(())
}

/// Reads the literal arguments of the call `setup(…)` in `setup.py`: name, version, description, requirements
/// and commands. Computed values are unknown.
pub(super) fn setup(text: &str, found: &mut Manifest) -> Result<(), String> {
    // A class of a command above the call has a description of its own.
    let call = text.rmatch_indices("setup(").map(|(at, _)| at).find(|at| {
        let line = text[..*at].rsplit('\n').next().unwrap_or_default();
        !line.contains("def ") && !line.ends_with(|c: char| c.is_alphanumeric() || c == '_')
    });
    let call = &text[call.unwrap_or(0)..];
    let argument = |key: &str| value_of(call, key);
    found.name = argument("name").and_then(string_literal);
    found.version = argument("version").and_then(string_literal);
    found.description = argument("description").and_then(string_literal);
    console_scripts(text, found);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let required = argument("install_requires").and_then(|value| {
        // `install_requires=requires` names a list above the call.
        let name = &value[..value.find(|c| !is_part(c)).unwrap_or(value.len())];
        if name.is_empty() { Some(value) } else { value_of(text, name) }
    });
    for requirement in list_literals(required.unwrap_or_default()) {
        require(&requirement, Scope::Runtime, found);
    }
    for requirement in list_literals(argument("extras_require").unwrap_or_default()) {
        let name = requirement.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).next();
        // `tablib[pandas]` beside `tablib` is the same package.
        if !found.dependencies.iter().any(|known| Some(known.name.as_str()) == name) {
            require(&requirement, Scope::Optional, found);
        }
    }
    Ok(())
}

/// Finds the first `key =` in Python source. Returns the whole text from its value on; the caller finds the
/// end of the value.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.match_indices(key).find_map(|(at, _)| {
        let alone = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let after = text[at + key.len()..].trim_start().strip_prefix('=')?;
        (alone && !after.starts_with('=')).then(|| after.trim_start())
    })
}

/// Returns the string literals in the lists of the value at the start of the text: `["a", "b>=1"]` or
/// `{"extra": ["a[x]"]}`. Empty if the value does not begin with a bracket.
fn list_literals(value: &str) -> Vec<String> {
    const MOST: usize = 1_000;
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let mut rest = value;
    while let Some(at) = rest.find(['[', '{', '(', ']', '}', ')', '#', '\'', '"']) {
        // Something else than a bracket begins the value.
        if open.is_empty() && !rest.starts_with(['[', '{']) || found.len() >= MOST {
            break;
        }
        let mark = rest.as_bytes()[at];
        let mut end = at + 1;
        match mark {
            b'[' | b'{' | b'(' => open.push(mark),
            b']' | b'}' | b')' => {
                open.pop();
                if open.is_empty() {
                    break;
                }
            }
            b'#' => end = rest[at..].find('\n').map_or(rest.len(), |length| at + length),
            _ => {
                let literal = string_literal(&rest[at..]).unwrap_or_default();
                end = at + literal.len() + 2;
                if open.last() == Some(&b'[') {
                    found.push(literal);
                }
            }
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    found
}

/// Reads the commands in `"console_scripts": ["name = module:function"]`, or in the lines after
/// `[console_scripts]` in a text literal.
fn console_scripts(text: &str, found: &mut Manifest) {
    for (at, key) in text.match_indices("console_scripts").take(4) {
        let after = &text[at + key.len()..];
        if let Some(lines) = after.strip_prefix(']').filter(|_| text[..at].ends_with('[')) {
            let lines = lines.lines().skip(1).map(str::trim).take(100);
            for line in lines.take_while(|line| !line.starts_with(['[', '"', '\''])) {
                program(line, found);
            }
            continue;
        }
        let Some(list) = after.split_once('[').and_then(|(_, rest)| rest.split(']').next()) else { continue };
        for literal in list.split(['"', '\'']).skip(1).step_by(2).take(100) {
            program(literal, found);
        }
    }
}

/// Adds the command `name = module:function` to the programs.
fn program(line: &str, found: &mut Manifest) {
    if let Some((name, starts)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
        found.programs.insert(name.trim().to_owned(), starts.trim().to_owned());
    }
}

fn string_literal(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    Some(text[1..].split(quote).next()?.to_owned())
}

/// Reads `setup.cfg`: the sections of setuptools with metadata, requirements and commands.
pub(super) fn setup_cfg(text: &str, found: &mut Manifest) -> Result<(), String> {
    let (mut section, mut key) = (String::new(), String::new());
    for line in text.lines() {
        let bare = line.split(" #").next().unwrap_or(line).trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.trim().clone_into(&mut section);
            key.clear();
            continue;
        }
        let is_inner = line.starts_with([' ', '\t']);
        let value = match bare.split_once(['=', ':']).filter(|_| !is_inner) {
            Some((name, value)) => {
                name.trim().clone_into(&mut key);
                value.trim()
            }
            None => bare,
        };
        if !value.is_empty() {
            setup_value(&section, &key, value, found);
        }
    }
    Ok(())
}

fn setup_value(section: &str, key: &str, value: &str, found: &mut Manifest) {
    let is_literal = !value.starts_with("attr:") && !value.starts_with("file:");
    match (section, key) {
        ("metadata", "name") => found.name = Some(value.to_owned()),
        ("metadata", "version") if is_literal => found.version = Some(value.to_owned()),
        ("metadata", "description" | "summary") if is_literal => {
            found.description = found.description.take().or_else(|| Some(value.to_owned()));
        }
        ("options", "install_requires") if is_literal => require(value, Scope::Runtime, found),
        ("options", "setup_requires") => require(value, Scope::Build, found),
        ("options", "tests_require") => require(value, Scope::Dev, found),
        ("options.extras_require", _) => require(value, Scope::Optional, found),
        ("options.entry_points", "console_scripts" | "gui_scripts") => {
            if let Some((name, starts)) = value.split_once('=') {
                found.entry_points.push(starts.trim().to_owned());
                found.programs.insert(name.trim().to_owned(), starts.trim().to_owned());
            }
        }
        _ => {}
    }
}
