//! Tables of English words: those that questions are made of, and those that name one thing in code. Contains no logic but look-ups.

/// Words without a meaning of their own, separated by spaces (CTX-26).
const STOP_WORDS: &str = "about actually after all also and another any anything are because been before being between both but can \
    could did does doing done each either etc every for from get gets had has have having here how into its \
    itself just let like many may might more most much must need needs not now off one only onto other our \
    out over please same shall she should since some something such than that the their them then there these \
    they this those through too under until use used uses using very via want wants was way were what when \
    where whether which while who whole whom whose why will with within without would yet you your";

/// Words about the wish of a question, not about its subject. They count little beside others.
const FRAME_WORDS: &str = "add added adding affect affects applied apply behave behavior behaviour bug call called caller callers \
    calls change changed changes class code codebase decide decided decides define defined defines depend \
    depends determine determined determines different exactly exist explain feature file files find fix fixed \
    function functions goes handle handled handles handling happen happens implement implementation \
    implemented implements introduce involved know live lives located location logic look make makes \
    mechanism method methods modify module new part parts place places possible project properly refactor \
    related relevant repo repository responsible set show specific support supported supports task thing \
    things touch touches update value values work working works write written wrong";

/// Groups of words of which each is written for the others: abbreviations, and forms of one word that are no inflections.
const SAME: &[&str] = &[
    "administrator admin",
    "application app",
    "argument arg",
    "asynchronous async",
    "attribute attr",
    "authenticate authentication auth",
    "authorize authorization auth",
    "buffer buf",
    "certificate cert",
    "character char",
    "command cmd",
    "configuration configure config conf cfg",
    "connection conn",
    "context ctx",
    "database db",
    "description desc",
    "destination dest dst",
    "directory folder dir",
    "document doc",
    "documentation docs doc",
    "environment env",
    "error err",
    "execute execution exec",
    "expression expr",
    "fail failure",
    "generate gen",
    "identifier id ident",
    "image img",
    "index idx",
    "information info",
    "initialize init",
    "length len",
    "library lib",
    "maximum max",
    "message msg",
    "minimum min",
    "number num",
    "package pkg",
    "parameter param",
    "password passwd",
    "position pos",
    "previous prev",
    "property prop",
    "reference ref",
    "repository repo",
    "request req",
    "resolve resolution",
    "response resp",
    "source src",
    "specification spec",
    "statement stmt",
    "statistics stats",
    "string str",
    "synchronize sync",
    "temporary temp tmp",
    "transaction tx txn",
];

/// Groups of words that often name one thing in code.
const RELATED: &[&str] = &[
    "fail error exception panic reject",
    "raise throw exception",
    "invalid malformed bad illegal",
    "unknown undefined unrecognized invalid",
    "missing required absent missed",
    "configuration setting option preference",
    "argument parameter",
    "option flag switch argument",
    "delete remove destroy unlink",
    "create make new",
    "start launch boot run",
    "initialize setup",
    "authenticate login credential",
    "authorize permission",
    "response reply",
    "maximum limit",
    "length size",
    "execute run",
    "destination target",
    "encrypt cipher crypto",
    "image picture",
    "parse decode scan read",
    "serialize encode marshal dump",
    "deserialize decode unmarshal parse",
    "escape quote sanitize",
    "display render print show draw",
    "cancel abort",
    "timeout deadline expire",
    "throttle rate limit",
    "retry backoff attempt",
    "redirect location",
    "route router endpoint",
    "upload multipart",
    "log logger",
    "thread worker",
    "lock mutex",
    "queue job",
    "schedule cron timer",
    "cache memoize",
    "validate check verify",
    "compress gzip deflate",
    "merge combine join",
    "search find lookup",
    "exit quit terminate shutdown",
    "close shutdown",
    "wait sleep delay",
    "save write store persist",
    "load read",
    "shortcut keybinding keymap binding",
    "plugin extension addon",
    "email mail smtp",
    "hash digest checksum",
    "convert transform cast",
    "ignore skip exclude",
    "default fallback",
    "order sort",
    "color style theme",
    "chunk batch",
    "notify notification alert",
    "build compile",
    "select choose pick resolve",
    "count total",
];

/// Returns true for a word of `STOP_WORDS` (lower case), which is never searched.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split(' ').any(|known| known == word)
}

/// Returns true for a word of `FRAME_WORDS` (lower case), such as `implement`: it belongs to the request, not
/// to its subject.
pub(super) fn is_frame_word(word: &str) -> bool {
    FRAME_WORDS.split(' ').any(|known| known == word)
}

/// Returns the abbreviations and variants of the word with this stem, from the table `SAME`: `config`, `cfg`
/// of `configuration`. Words with the same stem are left out.
pub(super) fn same(stem_of_word: &str, stem: impl Fn(&str) -> String) -> Vec<&'static str> {
    beside(SAME, stem_of_word, stem)
}

/// Returns the words with nearly the meaning of the word with this stem, from the table `RELATED`: `remove`,
/// `destroy` of `delete`. Words with the same stem are left out.
pub(super) fn related(stem_of_word: &str, stem: impl Fn(&str) -> String) -> Vec<&'static str> {
    beside(RELATED, stem_of_word, stem)
}

/// Returns the words of all groups that contain a word with this stem, sorted and without those that have
/// this stem.
fn beside(groups: &[&'static str], stem_of_word: &str, stem: impl Fn(&str) -> String) -> Vec<&'static str> {
    let is_meant = |group: &&&str| group.split(' ').any(|word| stem(word) == stem_of_word);
    let mut found: Vec<&str> = groups.iter().filter(is_meant).flat_map(|group| group.split(' ')).collect();
    found.retain(|word| stem(word) != stem_of_word);
    found.sort_unstable();
    found.dedup();
    found
}
