//! Search results as text for a reader, in the form that `grep` made familiar.

use std::fmt;

use super::{Found, Hit};

impl fmt::Display for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, line) = (&self.path, self.line);
        let first = line.saturating_sub(self.before.len() as u64);
        for (number, text) in (first..).zip(&self.before) {
            writeln!(f, "{path}-{number}- {text}")?;
        }
        write!(f, "{path}:{line}: {}", self.text)?;
        for (number, text) in (line + 1..).zip(&self.after) {
            write!(f, "\n{path}-{number}- {text}")?;
        }
        Ok(())
    }
}

/// Displays the matches, and a last line with the counts of omitted ones (ENG-21).
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for hit in &self.hits {
            writeln!(f, "{hit}")?;
        }
        match (self.lines, self.lines - self.hits.len()) {
            (0, _) => write!(f, "no matches in {} files", self.searched)?,
            (lines, 0) => write!(f, "({lines} lines in {} files)", self.files)?,
            (lines, more) => write!(f, "({lines} lines in {} files, {more} not shown)", self.files)?,
        }
        if self.left_out.unreadable > 0 {
            write!(f, " (unreadable: {})", self.left_out.problems.join("; "))?;
        }
        Ok(())
    }
}
