//! Finds the lines of a YAML file in which the lines and commands of a script stand. A folded scalar spreads
//! one line of the script over several lines of the file.

use super::actions::without_key;
use crate::fact::SourceLines;

/// A script of a YAML file with the line of each of its characters.
pub(super) struct ScriptPlaces<'a> {
    path: &'a str,
    /// Line of the file in which the script begins, from 1.
    start: usize,
    /// First and last line of each line of the script; empty if the file writes the script in another way.
    lines: Vec<(usize, usize)>,
    /// Characters of the script except white space.
    characters: Vec<PlacedCharacter>,
    /// Number of characters before the end of the last command that was found.
    done: usize,
}

/// A character of a script with its line in the file.
struct PlacedCharacter {
    character: char,
    line: usize,
    /// True if white space or the beginning of a line precedes it.
    begins_word: bool,
}

impl<'a> ScriptPlaces<'a> {
    /// Finds the script in the text of a file, from the line `start` (from 1) on.
    pub(super) fn new(path: &'a str, text: &str, script: &str, start: usize) -> Self {
        let mut written = text.lines().enumerate().skip(start - 1).flat_map(|(at, line)| {
            let line = if at + 1 == start { first_line(line, script) } else { line };
            line.chars().filter(|c| !c.is_whitespace()).map(move |c| (c, at + 1)).collect::<Vec<_>>()
        });
        let (mut lines, mut characters) = (Vec::new(), Vec::new());
        let mut last = start;
        for line in script.lines() {
            let mut first = None;
            let mut begins_word = true;
            for character in line.chars() {
                if character.is_whitespace() {
                    begins_word = true;
                    continue;
                }
                let Some((_, at)) = written.next().filter(|(written, _)| *written == character) else {
                    return Self { path, start, lines: Vec::new(), characters: Vec::new(), done: 0 };
                };
                characters.push(PlacedCharacter { character, line: at, begins_word });
                begins_word = false;
                first = first.or(Some(at));
                last = at;
            }
            lines.push((first.unwrap_or(last), last));
        }
        Self { path, start, lines, characters, done: 0 }
    }

    /// Returns the place of the lines `first` to `last` of the script, from 0.
    pub(super) fn of_lines(&self, first: usize, last: usize) -> SourceLines {
        let (start, end) = match (self.lines.get(first), self.lines.get(last)) {
            (Some((start, _)), Some((_, end))) => (*start, *end),
            _ => (self.start + first, self.start + last),
        };
        SourceLines { path: self.path.to_owned(), start, end }
    }

    /// Narrows the place of a command, which is that of its whole line of shell, to the lines in which it is
    /// written. Commands are asked for in their order. A command with replaced values keeps its place.
    pub(super) fn narrow(&mut self, command: &str, source: &mut SourceLines) {
        let wanted: Vec<char> = command.chars().filter(|c| !c.is_whitespace()).collect();
        let is_at = |at: usize| {
            let part = &self.characters[at..at + wanted.len()];
            let next = self.characters.get(at + wanted.len());
            part.iter().map(|it| it.character).eq(wanted.iter().copied())
                && part[0].begins_word
                && part[0].line >= source.start
                && part[part.len() - 1].line <= source.end
                && next.is_none_or(|it| it.begins_word || !it.character.is_alphanumeric())
        };
        let until = (self.characters.len() + 1).saturating_sub(wanted.len());
        let Some(at) = (self.done..until).find(|at| !wanted.is_empty() && is_at(*at)) else { return };
        self.done = at + wanted.len();
        source.start = self.characters[at].line;
        source.end = self.characters[self.done - 1].line;
    }
}

/// Returns what the line in which a scalar begins holds of its script.
fn first_line<'a>(line: &'a str, script: &str) -> &'a str {
    const QUOTES: [char; 2] = ['"', '\''];
    let written = without_key(line);
    if script.starts_with(QUOTES) { written } else { written.trim_start_matches(QUOTES) }
}

#[cfg(test)]
mod tests {
    use super::ScriptPlaces;

    #[test]
    fn commands_of_folded_lines_have_their_own_lines() {
        let text = "a: b\nscript: >\n  cmake -DA=1\n  . && make && make\n  test\n";
        let script = "cmake -DA=1 . && make && make test\n";
        let mut places = ScriptPlaces::new("ci.yml", text, script, 3);
        let mut of = |command: &str| {
            let mut source = places.of_lines(0, 0);
            places.narrow(command, &mut source);
            source.to_string()
        };
        assert_eq!(
            [of("cmake -DA=1 ."), of("make"), of("make test"), of("make $X")],
            ["ci.yml:3-4", "ci.yml:4", "ci.yml:4-5", "ci.yml:3-5"]
        );
        let other = ScriptPlaces::new("ci.yml", text, "make all\nmake", 3);
        assert_eq!(other.of_lines(1, 1).to_string(), "ci.yml:4");
    }
}
