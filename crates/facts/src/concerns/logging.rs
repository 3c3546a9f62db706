//! Recognizes log statements and the logging library that they use.

use stategraph_repo::{Language, ParsedFile, Site, SiteKind};

use crate::calls::{imports, last, receiver};

/// Names of macros and methods that write a log line.
const LEVELS: &[&str] = &[
    "trace",
    "debug",
    "info",
    "warn",
    "error",
    "warning",
    "critical",
    "fatal",
    "exception",
    "notice",
    "log",
    "Trace",
    "Debug",
    "Info",
    "Warn",
    "Error",
    "Fatal",
    "Tracef",
    "Debugf",
    "Infof",
    "Warnf",
    "Errorf",
    "Fatalf",
    "Printf",
    "Println",
    "Print",
    "Verbose",
    "Information",
    "Warning",
    "alert",
    "emergency",
    "Debugw",
    "Infow",
    "Warnw",
    "Errorw",
    "severe",
    "fine",
    "LogTrace",
    "LogDebug",
    "LogInformation",
    "LogWarning",
    "LogError",
    "LogCritical",
];

/// Functions that create or configure loggers.
const MAKERS: &[&str] = &[
    "getLogger",
    "get_logger",
    "createLogger",
    "LoggerFactory.getLogger",
    "LogManager.getLogger",
    "LogManager.GetLogger",
    "Logger.getLogger",
    "Logger.new",
    "LoggerConfiguration",
    "zap.NewProduction",
    "zap.NewDevelopment",
    "logrus.New",
    "zerolog.New",
    "slog.New",
    "log.New",
    "basicConfig",
    "dictConfig",
];

/// Modules of logging libraries, by language.
const MODULES: &[(Language, &[&str])] = &[
    (Language::Python, &["logging", "structlog", "loguru"]),
    (
        Language::Go,
        &[
            "log",
            "log/slog",
            "go.uber.org/zap",
            "github.com/sirupsen/logrus",
            "github.com/rs/zerolog",
            "k8s.io/klog",
            "github.com/golang/glog",
            "github.com/hashicorp/go-hclog",
            "github.com/charmbracelet/log",
            "github.com/go-kit/log",
            "github.com/apex/log",
        ],
    ),
    (
        Language::Java,
        &[
            "org.slf4j",
            "java.util.logging",
            "org.apache.logging.log4j",
            "org.apache.log4j",
            "org.apache.commons.logging",
            "lombok.extern",
            "org.jboss.logging",
            "ch.qos.logback",
            "io.quarkus.logging",
        ],
    ),
    (
        Language::JavaScript,
        &["winston", "pino", "bunyan", "log4js", "loglevel", "consola", "npmlog", "electron-log"],
    ),
    (Language::CSharp, &["Microsoft.Extensions.Logging", "Serilog", "NLog", "log4net"]),
    (Language::Ruby, &["logger"]),
    (Language::Php, &["Psr\\Log", "Monolog", "Illuminate\\Support\\Facades\\Log"]),
    (Language::C, &["spdlog", "glog", "syslog.h"]),
];

/// Usual names of variables that hold a logger.
const LOGGERS: &[&str] = &[
    "log", "logger", "_log", "_logger", "LOG", "LOGGER", "logging", "Log", "slog", "logrus", "klog", "glog",
    "$logger", "$log", "Logger", "l",
];

/// The logging libraries that one file uses, found from its imports.
pub(super) struct Libraries {
    /// Logging crate of a Rust file.
    rust: Option<&'static str>,
    /// True if the file imports a known logging module or a logger of the project.
    is_known: bool,
    is_rails: bool,
    /// JavaScript module whose export is itself a function that creates a logger, such as `pino`.
    maker: Option<&'static str>,
}

impl Libraries {
    /// Finds the logging libraries of a file from its imports.
    pub(super) fn of(file: &ParsedFile) -> Self {
        let language = match file.outline.language {
            Language::TypeScript | Language::Tsx => Language::JavaScript,
            Language::Cpp => Language::C,
            other => other,
        };
        let crates = ["tracing", "log", "slog", "defmt"];
        let rust = crates.into_iter().find(|name| language == Language::Rust && imports(file, &[name]));
        let (_, modules) =
            MODULES.iter().find(|(known, _)| *known == language).unwrap_or(&(Language::Bash, &[]));
        // A module of the project's own that has the logger.
        let is_own = |target: &String| {
            let end = target.rsplit(['/', '.', ':', '\\']).next().unwrap_or_default().to_lowercase();
            matches!(end.as_str(), "logger" | "logging" | "log")
        };
        let is_known = imports(file, modules)
            || language != Language::Rust
                && file.outline.imports.iter().any(|import| import.targets.iter().any(is_own));
        let is_rails = language == Language::Ruby && file.text.contains("Rails.logger");
        let makers = ["pino"];
        let maker =
            makers.into_iter().find(|name| language == Language::JavaScript && imports(file, &[name]));
        Self { rust, is_known, is_rails, maker }
    }

    /// Returns the name of the construct with which a call, macro or attribute writes a log line or makes a
    /// logger, such as `log::info!`; `None` if it does neither.
    pub(super) fn construct(&self, language: Language, site: &Site) -> Option<String> {
        let name = last(&site.name);
        let from = receiver(&site.name);
        if site.kind == SiteKind::Keyword {
            return None;
        }
        if site.kind == SiteKind::Attribute {
            let is_instrument = name == "instrument" && (self.rust == Some("tracing") || from == "tracing");
            let is_lombok = self.is_known && matches!(name, "Slf4j" | "Log4j2" | "CommonsLog");
            return match (is_instrument, is_lombok) {
                (true, _) => Some("#[tracing::instrument]".to_owned()),
                (_, true) => Some(format!("@{name}")),
                _ => None,
            };
        }
        match language {
            Language::Rust => self.rust(site, name, from),
            Language::Bash => (site.name == "logger").then(|| "logger".to_owned()),
            Language::C | Language::Cpp => {
                let is_spdlog = from == "spdlog" && self.is_known;
                let is_plain = matches!(site.name.as_str(), "syslog" | "openlog");
                let is_glog = self.is_known && matches!(site.name.as_str(), "LOG" | "VLOG");
                (is_spdlog || is_plain || is_glog).then(|| site.name.clone())
            }
            Language::Php if matches!(site.name.as_str(), "error_log" | "syslog") => Some(site.name.clone()),
            Language::Ruby if from.ends_with("Rails.logger") && self.is_rails => {
                Some(format!("Rails.logger.{name}"))
            }
            _ => self.method(language, site, name, from),
        }
    }

    /// Returns the name of the construct with which a Rust macro or call logs or sets logging up; `None` if
    /// it does neither.
    fn rust(&self, site: &Site, name: &str, from: &str) -> Option<String> {
        let crates = ["tracing", "log", "slog", "defmt"];
        let is_level = matches!(
            name,
            "trace"
                | "debug"
                | "info"
                | "warn"
                | "error"
                | "event"
                | "span"
                | "debug_span"
                | "info_span"
                | "log"
        );
        if site.kind == SiteKind::Macro && is_level {
            let of = if from.is_empty() { self.rust } else { crates.into_iter().find(|name| *name == from) };
            return of.map(|of| format!("{of}::{name}!"));
        }
        let starts = [
            "tracing_subscriber::",
            "env_logger::",
            "simple_logger::",
            "fern::",
            "pretty_env_logger::",
            "flexi_logger::",
            "log4rs::",
        ];
        let start = starts.iter().find(|start| site.name.starts_with(**start))?;
        Some(start.trim_end_matches(':').to_owned())
    }

    /// Returns the name of the construct with which a method call such as `logger.info(…)` logs, in a file
    /// that imports a logging library; `None` otherwise. A Ruby file needs no import, because what one file
    /// requires is there for all.
    fn method(&self, language: Language, site: &Site, name: &str, from: &str) -> Option<String> {
        let is_ruby = language == Language::Ruby && last(from).trim_start_matches('@') == "logger";
        if is_ruby && matches!(name, "debug" | "info" | "warn" | "error" | "fatal") {
            return Some(format!("logger.{name}"));
        }
        if !self.is_known {
            return None;
        }
        if let Some(maker) =
            MAKERS.iter().find(|maker| site.name == **maker || site.name.ends_with(&format!(".{maker}")))
        {
            let shown = site.name.trim_start_matches('.');
            return Some(if shown.len() < 60 { shown.to_owned() } else { (*maker).to_owned() });
        }
        // A module that is the maker itself: `pino(options)`.
        if site.kind == SiteKind::Call && self.maker == Some(site.name.as_str()) {
            return Some(site.name.clone());
        }
        let logger = last(from);
        let is_logger = LOGGERS.contains(&logger) && logger != "l" && logger != "Logger"
            || logger.ends_with("Logger")
            || logger.ends_with("_logger");
        let is_level = LEVELS.contains(&name);
        (is_logger && is_level).then(|| {
            let separator = if site.name.ends_with(&format!("::{name}")) { "::" } else { "." };
            format!("{}{separator}{name}", logger.trim_start_matches('$'))
        })
    }
}
