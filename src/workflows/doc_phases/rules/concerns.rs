//! The concerns that are looked for in every code base, and how they show in its lines. A table; nothing is searched here.

/// A cross-cutting concern that phase C searches for in every code base, with the patterns of its lines.
pub(super) struct Concern {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    /// Name and regular expression of each way in which the concern shows; together they are one search.
    pub(super) signs: &'static [(&'static str, &'static str)],
    /// Keywords that precede a type name in a matching line, such as `enum` for error types.
    pub(super) names: &'static [&'static str],
}

impl Concern {
    /// Returns one regular expression for all signs. It is case-sensitive and ignores lines that begin as
    /// comments, and text after a slash. Its classes are ASCII, because Unicode classes take long to compile.
    pub(super) fn pattern(&self) -> String {
        let signs: Vec<String> = self.signs.iter().map(|(_, pattern)| format!("(?:{pattern})")).collect();
        format!(r"(?-iu)^(?:\s*[^/*\s][^/]*?|\s*)(?:{})", signs.join("|"))
    }
}

/// All concerns that are searched: those of DOC-104 and further ones. There are as many as phase C has
/// searches.
pub(super) const CONCERNS: &[Concern] = &[
    Concern {
        id: "error-handling",
        name: "Error handling",
        kind: "error handling",
        signs: &[
            ("Rust error enums and structs", r"\b(enum|struct) \w*(Error|ErrorKind)\b"),
            ("Rust Error implementations", r"\bimpl(<[^>]*>)? ([\w:]+::)?Error for\b"),
            ("thiserror derives", r"derive\(.*\bError\b|thiserror::"),
            ("anyhow", r"\banyhow[!:]"),
            ("exception classes", r"^\s*(export |public |final |abstract )*class \w*(Error|Exception)\b"),
            ("Go errors", r"\berrors\.(New|Is|As|Wrap)\(|fmt\.Errorf\("),
            ("raise and throw", r"^\s*(raise \w|throw new )"),
        ],
        names: &["enum", "struct", "class"],
    },
    Concern {
        id: "logging",
        name: "Logging",
        kind: "logging",
        signs: &[
            ("tracing", r"\btracing::|#\[(tracing::)?instrument"),
            ("log macros", r"\blog::|\b(error|warn|info|debug|trace)!\("),
            (
                "Python logging",
                r"\blogging\.\w|\bgetLogger\(|\blogger\.(debug|info|warning|error|exception|critical)\(",
            ),
            ("console", r"\bconsole\.(log|warn|error|info|debug)\("),
            ("Node loggers", r"\b(winston|pino|bunyan|log4js)\b"),
            ("Go loggers", r"\blog\.(Print|Fatal|Panic)\w*\(|\b(slog|zap|logrus)\."),
            (
                "Java loggers",
                r"\bLoggerFactory\b|\bLogger\.getLogger\b|\blog(ger)?\.(info|warn|error|debug)\(",
            ),
        ],
        names: &[],
    },
    Concern {
        id: "configuration",
        name: "Configuration",
        kind: "configuration",
        signs: &[
            ("environment variables in Rust", r"\benv::(var|vars|var_os)\b|\b(option_)?env!\("),
            ("environment variables in Python", r"\bos\.(environ|getenv)\b"),
            ("environment variables in Node", r"\bprocess\.env\b"),
            (
                "environment variables in Go, Java, C",
                r"\bos\.(Getenv|LookupEnv)\(|\bSystem\.getenv\(|\bgetenv\(",
            ),
            ("configuration types", r"\b(struct|class|interface) \w*(Config|Settings|Options)\b"),
            (
                "command-line parsers",
                r"\bargparse\b|derive\(.*\b(Parser|Args)\b|\bflag\.(String|Int|Bool|Parse)\(",
            ),
            ("configuration files", r"\b(configparser|dotenv|viper|ConfigParser)\b"),
        ],
        names: &["struct", "class", "interface"],
    },
    Concern {
        id: "testing",
        name: "Tests",
        kind: "testing",
        signs: &[
            ("Rust tests", r"#\[(\w+::)?test\b"),
            ("Rust test modules", r"#\[cfg\(test\)\]"),
            ("Python tests", r"^\s*(async )?def test_|\bimport pytest\b|\bunittest\.TestCase\b"),
            ("JavaScript tests", r#"\b(describe|it|test)\(['"`]"#),
            ("Go tests", r"^func (Test|Benchmark|Fuzz)\w*\("),
            ("JUnit", r"^\s*@Test\b"),
        ],
        names: &[],
    },
    Concern {
        id: "concurrency",
        name: "Concurrency",
        kind: "concurrency",
        signs: &[
            ("async functions", r"\basync (fn|def|function)\b|\basync \("),
            (
                "spawned tasks and threads",
                r"\b(tokio::|task::|thread::|rayon::)+spawn\w*\(|\bthreading\.Thread\(|\bgo func\b|\bnew Thread\(",
            ),
            (
                "locks",
                r"\b(Mutex|RwLock|Condvar|Semaphore)\b|\bsync\.(Mutex|RWMutex|WaitGroup|Once)\b|\bsynchronized\b|\bthreading\.\w*Lock\b",
            ),
            ("atomics", r"\bAtomic(Bool|Usize|Isize|U8|U16|U32|U64|I32|I64|Ptr|Integer|Long)\b"),
            ("channels", r"\b(mpsc|oneshot|broadcast|watch)::|\bmake\(chan\b|\bqueue\.Queue\("),
            ("asyncio", r"\basyncio\."),
            ("promises", r"\bPromise\.(all|race|allSettled)\b|\bnew Promise\("),
        ],
        names: &[],
    },
    Concern {
        id: "serialization",
        name: "Serialization",
        kind: "serialization",
        signs: &[
            ("serde derives", r"derive\(.*\b(Serialize|Deserialize)\b"),
            ("serde implementations", r"\bimpl.*\b(Serialize|Deserialize)\b.* for\b"),
            (
                "JSON",
                r"\bserde_json::|\bjson\.(dumps?|loads?)\(|\bJSON\.(parse|stringify)\(|\bjson\.(Marshal|Unmarshal)|\bObjectMapper\b",
            ),
            ("pickles", r"\bpickle\.(dumps?|loads?)\("),
            ("protocol buffers", r"\bprost::|\bprotobuf\b"),
        ],
        names: &[],
    },
    Concern {
        id: "unsafe-code",
        name: "Unsafe code",
        kind: "safety",
        signs: &[
            ("unsafe blocks", r"\bunsafe\s*\{"),
            ("unsafe functions", r"\bunsafe (extern .*)?fn\b"),
            ("unsafe implementations and traits", r"\bunsafe (impl|trait)\b"),
            ("unsafe code forbidden", r"#!\[(forbid|deny)\(unsafe_code\)\]"),
            ("eval and exec", r"^\s*(\w+ = )?(eval|exec)\("),
        ],
        names: &[],
    },
    Concern {
        id: "authentication",
        name: "Authentication and authorization",
        kind: "security",
        signs: &[
            (
                "authentication",
                r"\b(authenticate|is_authenticated|login_required|verify_password|check_password)\b",
            ),
            (
                "authorization",
                r"\b(authorize|has_permission|permission_required|is_authorized)\b|\bAuthorization\b",
            ),
            ("tokens", r"\b(jwt|JWT|oauth2?|OAuth2?|bearer|Bearer)\b"),
        ],
        names: &[],
    },
    Concern {
        id: "feature-flags",
        name: "Conditional parts",
        kind: "configuration",
        signs: &[
            ("Cargo features", r#"\bcfg(_attr)?\(.*\bfeature = ""#),
            (
                "platforms in Rust",
                r"\bcfg(_attr)?\(.*\b(unix|windows|target_os|target_arch|target_pointer_width)\b",
            ),
            ("preprocessor", r"^\s*#\s*if(n?def)?\b"),
            ("Go build tags", r"^//go:build\b"),
            ("Python platforms", r"\bsys\.(platform|version_info)\b"),
        ],
        names: &[],
    },
    Concern {
        id: "persistence",
        name: "Databases and storage",
        kind: "storage",
        signs: &[
            (
                "SQL libraries",
                r"\b(sqlx|diesel|rusqlite|sqlalchemy|psycopg2?|sqlite3|database/sql|gorm|jdbc|knex|sequelize|prisma)\b",
            ),
            ("SQL", r"\b(SELECT .+ FROM|INSERT INTO|CREATE TABLE)\b"),
            ("key-value stores", r"\b(redis|rocksdb|leveldb|sled::|mongodb|mongoose)\b"),
        ],
        names: &[],
    },
];
