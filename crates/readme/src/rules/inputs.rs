//! General statements about input types. They hold for every integration that uses the input; facts of one
//! integration come from its package.

/// A class of input types that behave alike, and so share texts about deployment, scaling and troubles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InputClass {
    /// Listens for connections over TCP.
    Tcp,
    /// Listens for packets over UDP.
    Udp,
    /// Listens for HTTP requests.
    HttpListener,
    /// Reads files of its host.
    Files,
    /// Reads a log of the operating system of its host.
    HostLog,
    /// Requests events from an API at an interval.
    Api,
    /// Takes messages from a queue that gives each message to one consumer of a group.
    Queue,
    /// Lists objects of a store and reads new ones.
    Objects,
    /// Collects metrics of another system at an interval.
    Metrics,
    /// Collects metrics of its host at an interval.
    HostMetrics,
    /// Input type that is not known here.
    Other,
}

/// A row of the troubleshooting table: a symptom with its usual cause and the remedy.
pub(super) struct TroubleshootingRow {
    pub(super) symptom: &'static str,
    pub(super) cause: &'static str,
    pub(super) remedy: &'static str,
}

/// The general facts about one input type of Elastic Agent, such as `tcp`, that hold for all packages.
pub(super) struct InputProfile {
    /// Name for people; empty for an unknown type.
    pub(super) name: &'static str,
    pub(super) class: InputClass,
    /// Sentence that tells how the data gets to the agent.
    pub(super) flow: &'static str,
    /// Last part of the address of its page in the documentation of Filebeat; empty without a page.
    page: &'static str,
}

/// Known input types, by their names in manifests.
const PROFILES: &[(&str, InputProfile)] = &[
    (
        "tcp",
        profile(
            "TCP",
            InputClass::Tcp,
            "Elastic Agent listens on a TCP port, and the source sends its events there.",
            "tcp",
        ),
    ),
    (
        "udp",
        profile(
            "UDP",
            InputClass::Udp,
            "Elastic Agent listens on a UDP port, and the source sends its events there.",
            "udp",
        ),
    ),
    (
        "netflow",
        profile(
            "NetFlow",
            InputClass::Udp,
            "Elastic Agent listens on a UDP port for NetFlow and IPFIX records.",
            "netflow",
        ),
    ),
    (
        "http_endpoint",
        profile(
            "HTTP endpoint",
            InputClass::HttpListener,
            "Elastic Agent listens for HTTP requests, and the source sends its events in them.",
            "http_endpoint",
        ),
    ),
    (
        "logfile",
        profile(
            "Log file",
            InputClass::Files,
            "Elastic Agent reads log files on its host and remembers the position in each of them.",
            "log",
        ),
    ),
    (
        "log",
        profile(
            "Log file",
            InputClass::Files,
            "Elastic Agent reads log files on its host and remembers the position in each of them.",
            "log",
        ),
    ),
    (
        "filestream",
        profile(
            "File stream",
            InputClass::Files,
            "Elastic Agent reads log files on its host and remembers the position in each of them.",
            "filestream",
        ),
    ),
    (
        "winlog",
        profile(
            "Windows event log",
            InputClass::HostLog,
            "Elastic Agent reads channels of the Windows event log on its host.",
            "",
        ),
    ),
    (
        "journald",
        profile(
            "Journald",
            InputClass::HostLog,
            "Elastic Agent reads the systemd journal on its host.",
            "journald",
        ),
    ),
    (
        "httpjson",
        profile(
            "HTTP JSON",
            InputClass::Api,
            "Elastic Agent requests events from an HTTP API at an interval.",
            "httpjson",
        ),
    ),
    (
        "cel",
        profile(
            "Common Expression Language",
            InputClass::Api,
            "Elastic Agent requests events from an API at an interval; a program in the Common Expression Language (CEL) makes the requests.",
            "cel",
        ),
    ),
    (
        "o365audit",
        profile(
            "Office 365 audit",
            InputClass::Api,
            "Elastic Agent requests audit events from the Office 365 Management Activity API at an interval.",
            "o365audit",
        ),
    ),
    (
        "entity-analytics",
        profile(
            "Entity analytics",
            InputClass::Api,
            "Elastic Agent requests users and devices from an identity provider at an interval.",
            "entity-analytics",
        ),
    ),
    (
        "aws-cloudwatch",
        profile(
            "AWS CloudWatch",
            InputClass::Api,
            "Elastic Agent requests log events from Amazon CloudWatch log groups at an interval.",
            "aws-cloudwatch",
        ),
    ),
    (
        "aws-s3",
        profile(
            "AWS S3",
            InputClass::Objects,
            "Elastic Agent reads objects from an Amazon S3 bucket. It learns of new objects from notifications in an Amazon SQS queue.",
            "aws-s3",
        ),
    ),
    (
        "azure-blob-storage",
        profile(
            "Azure Blob Storage",
            InputClass::Objects,
            "Elastic Agent lists the blobs of an Azure storage container at an interval and reads new ones.",
            "azure-blob-storage",
        ),
    ),
    (
        "gcs",
        profile(
            "Google Cloud Storage",
            InputClass::Objects,
            "Elastic Agent lists the objects of a Google Cloud Storage bucket at an interval and reads new ones.",
            "gcs",
        ),
    ),
    (
        "azure-eventhub",
        profile(
            "Azure Event Hubs",
            InputClass::Queue,
            "Elastic Agent consumes events from an Azure event hub as a member of a consumer group.",
            "azure-eventhub",
        ),
    ),
    (
        "gcp-pubsub",
        profile(
            "Google Cloud Pub/Sub",
            InputClass::Queue,
            "Elastic Agent takes messages from a Google Cloud Pub/Sub subscription.",
            "gcp-pubsub",
        ),
    ),
    (
        "kafka",
        profile(
            "Kafka",
            InputClass::Queue,
            "Elastic Agent consumes messages from Kafka topics as a member of a consumer group.",
            "kafka",
        ),
    ),
];

/// Input types of the metrics modules that measure the host on which the agent runs.
const HOST_MODULES: &[&str] = &["system/metrics", "linux/metrics", "windows/metrics"];

const HOST_METRICS: InputProfile = profile(
    "Metrics",
    InputClass::HostMetrics,
    "Elastic Agent collects metrics of its host at an interval, the period.",
    "",
);
const METRICS: InputProfile =
    profile("Metrics", InputClass::Metrics, "Elastic Agent collects metrics at an interval, the period.", "");
const OTHER: InputProfile =
    profile("", InputClass::Other, "Elastic Agent collects the data with this input.", "");

const fn profile(
    name: &'static str,
    class: InputClass,
    flow: &'static str,
    page: &'static str,
) -> InputProfile {
    InputProfile { name, class, flow, page }
}

impl InputProfile {
    /// Returns the profile of an input type, such as `tcp`. An unknown type gives a general profile; types
    /// of metrics modules are recognized by their ending `/metrics`.
    pub(super) fn of(kind: &str) -> &'static Self {
        let known = PROFILES.iter().find(|(name, _)| *name == kind).map(|(_, profile)| profile);
        known.unwrap_or(match () {
            () if HOST_MODULES.contains(&kind) => &HOST_METRICS,
            () if kind.ends_with("/metrics") => &METRICS,
            () => &OTHER,
        })
    }

    /// Returns the URL of Elastic's documentation page about the input; `None` if it has none.
    pub(super) fn address(&self) -> Option<String> {
        let page = self.page;
        (!page.is_empty())
            .then(|| format!("https://www.elastic.co/docs/reference/beats/filebeat/filebeat-input-{page}"))
    }
}

/// Adds the name of an input to the entry of its class in `classes`; appends an entry if the class is new.
/// So classes keep the order in which they first occur.
pub(super) fn add_to_class(classes: &mut Vec<(InputClass, Vec<String>)>, class: InputClass, name: String) {
    match classes.iter_mut().find(|(known, _)| *known == class) {
        Some((_, names)) => names.push(name),
        None => classes.push((class, vec![name])),
    }
}

impl InputClass {
    /// Returns true for inputs that listen on a port, to which the source sends its data.
    pub(super) fn is_listener(self) -> bool {
        matches!(self, Self::Tcp | Self::Udp | Self::HttpListener)
    }

    /// Returns the sentences about where to install the agent and which network access it needs.
    pub(super) fn deployment(self) -> &'static str {
        match self {
            Self::Tcp | Self::Udp => {
                "The source must reach the address and the port that the agent listens on. Open this port in every firewall between them."
            }
            Self::HttpListener => {
                "The source must reach the address and the port that the agent listens on over HTTP or HTTPS. Open this port in every firewall between them."
            }
            Self::Files => "Install the agent on a host that can read the files.",
            Self::HostLog => "Install the agent on each host whose log you want to collect.",
            Self::Api => "The host of the agent must reach the address of the API over the network.",
            Self::Queue | Self::Objects => {
                "The host of the agent must reach the service over the network, with credentials that may read from it."
            }
            Self::Metrics => "The agent must reach the system that the metrics are about.",
            Self::HostMetrics => "Install the agent on each host whose metrics you want to collect.",
            Self::Other => "The agent must reach the source of the data.",
        }
    }

    /// Returns advice for large volumes of data, each item of one or two sentences.
    pub(super) fn scaling(self) -> &'static [&'static str] {
        match self {
            Self::Tcp => &[
                "TCP repeats lost packets and keeps their order, so prefer it to UDP where the source supports both.",
                "When one agent cannot keep up, place a TCP load balancer in front of two or more agents.",
            ],
            Self::Udp => &[
                "UDP does not confirm delivery: a congested network or a full receive buffer loses packets without notice.",
                "Prefer TCP if the source supports it. Otherwise place the agent near the source and enlarge the receive buffer of the host.",
            ],
            Self::HttpListener => &[
                "When one agent cannot keep up, place a load balancer for HTTP in front of two or more agents.",
            ],
            Self::Files => &[
                "Match only the files that you need, because each open file takes memory and a file handle.",
                "Keep rotated files until the agent has read them. The events of a file that disappears earlier are lost.",
            ],
            Self::HostLog => &[
                "A log of limited size overwrites its oldest entries. Raise the limit if the agent reads more slowly than the host writes.",
            ],
            Self::Api => &[
                "A shorter interval brings events sooner and makes more requests, which count against the rate limit of the API. A longer interval does the opposite.",
                "Run the input with the same settings on one agent only, because a second agent requests the same events again.",
            ],
            Self::Queue => &[
                "Two or more agents can share the work: of the members of one group, each message goes to one of them.",
            ],
            Self::Objects => &[
                "Where the input lists objects, it takes longer the more there are. Remove or move objects that you no longer need.",
                "Limit the listing to a prefix where the store has other objects too.",
            ],
            Self::Metrics | Self::HostMetrics => {
                &["A shorter period gives finer data, and it causes more load and more stored documents."]
            }
            Self::Other => &[
                "Watch the processor and memory use of the agent when the volume grows, and add agents when one cannot keep up.",
            ],
        }
    }

    /// Returns the common troubles of inputs of this class; empty if there are none.
    pub(super) fn troubles(self) -> &'static [TroubleshootingRow] {
        match self {
            Self::Tcp | Self::Udp | Self::HttpListener => &[
                TroubleshootingRow {
                    symptom: "The agent is healthy, but no events arrive",
                    cause: "The source sends to another address or port, or a firewall blocks the port",
                    remedy: "Compare the destination in the source with the listen address and port of the input. Capture packets on the host of the agent, for example with `tcpdump`",
                },
                TroubleshootingRow {
                    symptom: "The input fails to start and reports that the address is in use",
                    cause: "Another process or input listens on the same port",
                    remedy: "Choose a free port, and let the source send to it",
                },
            ],
            Self::Files => &[TroubleshootingRow {
                symptom: "The agent is healthy, but no events arrive",
                cause: "The paths match no file, or the agent may not read the files",
                remedy: "Compare the paths of the input with the files on the host, and check their permissions",
            }],
            Self::HostLog => &[TroubleshootingRow {
                symptom: "The agent is healthy, but no events arrive",
                cause: "The log has no new entries, or the agent may not read it",
                remedy: "Check on the host that the log has new entries, and run the agent with the rights to read it",
            }],
            Self::Api => &[
                TroubleshootingRow {
                    symptom: "The agent logs report the status 401 or 403",
                    cause: "Mostly wrong or expired credentials, or a missing permission",
                    remedy: "Check the credentials and their permissions in the source. The body of the response often names the reason",
                },
                TroubleshootingRow {
                    symptom: "The agent logs report the status 429",
                    cause: "The requests exceed the rate limit of the API",
                    remedy: "Choose a longer interval",
                },
                TroubleshootingRow {
                    symptom: "The agent logs report a timeout or a refused connection",
                    cause: "The address is wrong, or a firewall or proxy blocks the request",
                    remedy: "Check the address, and request it from the network of the agent, for example with `curl`",
                },
            ],
            Self::Queue | Self::Objects => &[TroubleshootingRow {
                symptom: "The agent logs report that access is denied",
                cause: "The credentials are wrong or lack the permission to read",
                remedy: "Check the credentials and their permissions in the service",
            }],
            Self::Metrics => &[TroubleshootingRow {
                symptom: "The agent logs report a refused connection or a timeout",
                cause: "The source does not run, or its address differs from that in the settings",
                remedy: "Check the hosts in the settings, and request one of them from the host of the agent",
            }],
            Self::HostMetrics | Self::Other => &[],
        }
    }
}
