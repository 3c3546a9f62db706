//! Headings for the tools of a project.

use crate::facts::ToolPurpose;

/// Returns the heading of the group of tools with this purpose.
pub(crate) fn tool_title(purpose: ToolPurpose) -> &'static str {
    match purpose {
        ToolPurpose::Toolchain => "Toolchain",
        ToolPurpose::Formatter => "Formatter",
        ToolPurpose::Linter => "Linter",
        ToolPurpose::Types => "Type checker",
        ToolPurpose::Tests => "Test tools",
        ToolPurpose::Build => "Build tools",
        ToolPurpose::Docs => "Documentation",
        ToolPurpose::Hooks => "Hooks",
        ToolPurpose::Generator => "Generator",
    }
}
