//! Writes the deployment section: agent-based and agentless deployment, set-up of the product and of
//! Kibana, validation.

use crate::document::NOT_POPULATED;
use crate::fix::AGENTLESS_TEXT;
use crate::package::{
    DataStream, IntegrationPackage, KnowledgeTopic, PackageInput, PackagePlace, PackageVariable,
};

use super::SectionWriter;
use super::corrections::right_sentences;
use super::foreign::{code, line, sentence};
use super::inputs::{InputClass, InputProfile, add_to_class};
use super::overview::join;
use super::settings::{self, LocalAddress, input_name};

impl SectionWriter<'_> {
    pub(super) fn deploy(&mut self) {
        let package = self.page.package;
        let only = self.agentless_parts();
        let text = match (package.is_agent_based(), package.is_agentless()) {
            (true, true) if !only.is_empty() => {
                "You deploy this integration with an Elastic Agent of your own, or a part of it without one."
            }
            (true, true) => {
                "You can deploy this integration with an Elastic Agent of your own, or without one."
            }
            (false, true) => "You deploy this integration without an Elastic Agent of your own.",
            _ => "You deploy this integration with an Elastic Agent.",
        };
        let places = package.manifest.policy_templates.iter().map(|template| template.place.clone());
        self.page.block(text, places);
    }

    pub(super) fn agent_based(&mut self, title: Option<&str>) {
        let package = self.page.package;
        if !package.is_agent_based() {
            return;
        }
        self.page.heading(self.level + 1, title.unwrap_or("Agent-based deployment"));
        self.page.general(
            "Install Elastic Agent and enroll it in Fleet, as [Install Elastic Agents](https://www.elastic.co/docs/reference/fleet/install-elastic-agents) describes. One host runs one Elastic Agent. Then add the integration to the policy of the agent.",
        );
        let kinds = package.input_kinds();
        let mut classes: Vec<(InputClass, Vec<String>)> = Vec::new();
        for kind in &kinds {
            let class = InputProfile::of(kind).class;
            // The network must be open in the same way for both kinds of ports.
            let class = if class == InputClass::Udp { InputClass::Tcp } else { class };
            add_to_class(&mut classes, class, input_name(kind));
        }
        let items: Vec<String> = classes
            .iter()
            .map(|(class, names)| format!("**{}**: {}", join(names), class.deployment()))
            .collect();
        if !items.is_empty() {
            self.page.bullets(&items, input_places(package));
        }
        self.ports();
        self.listen_addresses();
    }

    /// Writes a table of the default ports of all inputs that listen; nothing if there are none.
    fn ports(&mut self) {
        let package = self.page.package;
        let (mut rows, mut places) = (Vec::new(), Vec::new());
        let mut add = |stream: String, input: &PackageInput| {
            if !InputProfile::of(&input.kind).class.is_listener() {
                return;
            }
            for variable in input.variables.iter().filter(|variable| !variable.is_unused) {
                let port = settings::default(variable);
                if is_port(variable) {
                    rows.push(vec![stream.clone(), input_name(&input.kind), code(&variable.name), port]);
                    places.push(variable.place.clone());
                }
            }
        };
        for (streams, input) in package.inputs() {
            let streams: Vec<String> = streams.iter().map(|stream| code(stream)).collect();
            add(if streams.is_empty() { "all".to_owned() } else { streams.join(", ") }, input);
        }
        if !rows.is_empty() {
            self.page.general("The default ports are:");
            self.page.table(&["Data stream", "Input", "Variable", "Port"], &rows, places);
        }
    }

    /// Writes a note on the settings whose default address, such as `localhost`, only the host of the agent
    /// reaches, because this is a common reason for missing events.
    fn listen_addresses(&mut self) {
        let local = settings::local_addresses(self.page.package);
        if local.is_empty() {
            return;
        }
        let named: Vec<String> = local
            .iter()
            .map(|LocalAddress { variable, owners }| {
                let default = variable.default.as_ref().and_then(|value| value.as_str()).unwrap_or_default();
                let of = if owners.is_empty() { String::new() } else { format!(" of {}", join(owners)) };
                format!("The default of {}{of} is {}.", code(&variable.name), code(default))
            })
            .collect();
        let these = if local.len() == 1 { "this address" } else { "these addresses" };
        let text = format!(
            "{} Only processes on the host of the agent reach {these}. To receive events from other hosts, set an address of a network interface, or `0.0.0.0` for all interfaces.",
            named.join(" ")
        );
        let places: Vec<PackagePlace> = local.iter().map(|address| address.variable.place.clone()).collect();
        self.page.block(&text, places);
    }

    pub(super) fn agentless(&mut self, title: Option<&str>) {
        let package = self.page.package;
        if !package.is_agentless() {
            return;
        }
        self.page.heading(self.level + 1, title.unwrap_or("Agentless deployment"));
        let templates =
            package.manifest.policy_templates.iter().filter(|template| template.agentless == Some(true));
        self.page.block(
            AGENTLESS_TEXT,
            templates
                .clone()
                .map(|template| PackagePlace { line: template.agentless_line, ..template.place.clone() }),
        );
        let only = self.agentless_parts();
        if !only.is_empty() {
            let places = package.agentless_templates().into_iter().map(|template| template.place.clone());
            self.page
                .block(&format!("Only this part of the integration offers it: {}.", join(&only)), places);
        }
        if templates.clone().any(|template| template.is_agentless_beta) {
            self.page.general("The agentless deployment of the integration is in beta.");
        }
        self.agentless_limits();
    }

    /// Returns the names of the policy templates that offer the agentless deployment, as Markdown; empty if
    /// all of them do.
    fn agentless_parts(&self) -> Vec<String> {
        let templates = self.page.package.agentless_templates().into_iter();
        let named = templates.map(|template| {
            let name = line(if template.title.is_empty() { &template.name } else { &template.title });
            let streams: Vec<String> = template.data_streams.iter().map(|stream| code(stream)).collect();
            match streams.as_slice() {
                [] => format!("**{name}**"),
                [one] => format!("**{name}** with the data stream {one}"),
                several => format!("**{name}** with the data streams {}", join(several)),
            }
        });
        named.collect()
    }

    /// Writes a sentence that names the inputs, data streams and settings that the agentless deployment
    /// does not offer.
    fn agentless_limits(&mut self) {
        let package = self.page.package;
        let (mut names, mut places) = (Vec::new(), Vec::new());
        let inputs = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
        for input in inputs.filter(|input| !input.offers_agentless()) {
            let name = format!("the {} input", input_name(&input.kind));
            if !names.contains(&name) {
                names.push(name);
            }
            places.push(input.place.clone());
        }
        for stream in package.data_streams.iter().filter(|stream| !is_agentless_stream(package, stream)) {
            names.push(format!("data of {}", code(&stream.name)));
            places.push(stream.place.clone());
        }
        for (variable, _) in settings::variables_with_inputs(package) {
            let name = format!("the setting {}", code(&variable.name));
            if variable.is_hidden_agentless && !names.contains(&name) {
                names.push(name);
                places.push(variable.place.clone());
            }
        }
        if !names.is_empty() {
            self.page.block(&format!("The agentless deployment does not offer {}.", any_of(&names)), places);
        }
    }

    pub(super) fn vendor_set_up(&mut self, title: Option<&str>) {
        let product = line(self.page.package.title());
        let usual = if product.is_empty() {
            "Set up steps in the product".to_owned()
        } else {
            format!("Set up steps in {product}")
        };
        self.page.heading(self.level + 1, title.unwrap_or(&usual));
        if !self.write_known(KnowledgeTopic::VendorSetUp, self.level + 2) && !self.destinations() {
            self.page.general(NOT_POPULATED);
            self.page.general(
                "The package has no steps for the set-up of the product. Follow the documentation of its vendor.",
            );
        }
    }

    /// Writes the ports to which the product must send its data, for a package without set-up steps of the
    /// product. Returns false, and writes nothing, if no input listens on a port.
    fn destinations(&mut self) -> bool {
        let (mut items, mut places) = (Vec::new(), Vec::new());
        let package = self.page.package;
        for (streams, input) in package.inputs() {
            let of = settings::of_streams(&streams);
            let mut used = input.variables.iter().filter(|variable| !variable.is_unused);
            let Some(port) = used.find(|it| is_port(it)) else { continue };
            if !InputProfile::of(&input.kind).class.is_listener() {
                continue;
            }
            let off = if input.is_off { " (off by default)" } else { "" };
            // Every port is listened on; the rest is about this one.
            let about = right_sentences(port).into_iter().filter(|text| !text.contains("listen"));
            let about = about.map(sentence).collect::<Vec<_>>().join(" ");
            let text = format!(
                "The data{of} over {}{off}: to the port of {}, by default {}. {about}",
                input_name(&input.kind),
                code(&port.name),
                settings::default(port)
            );
            items.push(text.trim_end().to_owned());
            places.push(port.place.clone());
        }
        if items.is_empty() {
            return false;
        }
        self.page.general("Let the product send its data to the address of the host of Elastic Agent:");
        self.page.bullets(&items, places);
        true
    }

    pub(super) fn kibana_set_up(&mut self, title: Option<&str>) {
        let package = self.page.package;
        self.page.heading(self.level + 1, title.unwrap_or("Set up steps in Kibana"));
        let known: String =
            self.known(KnowledgeTopic::KibanaSetUp).iter().map(|part| part.section.text()).collect();
        // Knowledge that does not tell how the integration is added stands behind the usual steps.
        let has_steps = known.contains("Integrations");
        if !has_steps {
            let places = [self.page.manifest_place("title")].into_iter().chain(input_places(package));
            let places = places.collect::<Vec<_>>();
            self.page.steps(&kibana_steps(package), places);
        }
        self.write_known(KnowledgeTopic::KibanaSetUp, self.level + 2);
        let names = form_names(package);
        if has_steps && names.len() > 1 {
            let text = format!(
                "The form has the inputs {}. Turn on those that you need, and turn off the others.",
                join(&names)
            );
            self.page.block(&text, input_places(package));
        }
        settings::write(&mut self.page, self.level + 2);
    }

    pub(super) fn validation(&mut self, title: Option<&str>) {
        let package = self.page.package;
        self.page.heading(self.level + 1, title.unwrap_or("Validation"));
        // A check that the knowledge base describes is not told again.
        let known: String =
            self.known(KnowledgeTopic::Validation).iter().map(|part| part.section.text()).collect();
        let mut steps = Vec::new();
        if package.is_agent_based() && !known.contains("Healthy") {
            let start = if package.is_agentless() {
                "For the agent-based deployment, open"
            } else {
                "In Kibana, open"
            };
            steps.push(format!(
                "{start} **Management > Fleet > Agents**, and check that the status of the agent is **Healthy**."
            ));
        }
        let filters: Vec<String> = package
            .data_streams
            .iter()
            .filter(|stream| !stream.dataset.is_empty() && !known.contains(&stream.dataset))
            .map(|stream| {
                let filter = code(&format!("data_stream.dataset : \"{}\"", stream.dataset));
                // The view that is usually open has logs only.
                let view = if stream.kind == "metrics" { " in the data view `metrics-*`" } else { "" };
                format!("- {filter}{view}")
            })
            .collect();
        let places: Vec<PackagePlace> =
            package.data_streams.iter().map(|stream| stream.place.clone()).collect();
        match filters.as_slice() {
            [] if known.contains("Discover") => {}
            [] => steps.push("Open **Discover**, and check that new events arrive.".to_owned()),
            [one] => steps.push(format!(
                "Open **Discover**, enter the filter {}, and check that new events arrive.",
                one.trim_start_matches("- ")
            )),
            several => steps.push(format!(
                "Open **Discover**, enter the filter of each data stream that you use, and check that new events arrive:\n{}",
                several.join("\n")
            )),
        }
        steps.extend(dashboard_step(package, &known));
        let has_knowledge = self.write_known(KnowledgeTopic::Validation, self.level + 2);
        if !steps.is_empty() {
            if has_knowledge {
                self.page.heading(self.level + 2, "Check the agent and the data streams");
            }
            self.page.steps(&steps, places);
        }
    }
}

/// Returns true if a variable is named like a port (`port`, `…_port`) and has a default that may be shown.
fn is_port(variable: &PackageVariable) -> bool {
    let name = variable.name.to_lowercase();
    (name == "port" || name.ends_with("_port")) && !settings::default(variable).is_empty()
}

/// Returns false if all inputs of the data stream are known not to be offered in the agentless deployment.
fn is_agentless_stream(package: &IntegrationPackage, stream: &DataStream) -> bool {
    let inputs = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
    let offers = |kind: &str| {
        let mut same = inputs.clone().filter(|input| input.kind == kind).peekable();
        same.peek().is_none() || same.any(PackageInput::offers_agentless)
    };
    stream.inputs.is_empty() || stream.inputs.iter().any(|input| offers(&input.kind))
}

/// Joins words for a sentence, with commas and a final `or`.
fn any_of(words: &[String]) -> String {
    match words {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        _ => words.join(", "),
    }
}

/// Returns the validation step that opens the dashboards of the package; `None` if no dashboard can show
/// data, or if `known`, the text of the knowledge base, mentions dashboards already.
fn dashboard_step(package: &IntegrationPackage, known: &str) -> Option<String> {
    let manifest = &package.manifest;
    let is_shown = |title: &&String| !manifest.empty_dashboards.contains(title);
    let shown: Vec<&String> = manifest.dashboard_titles.iter().filter(is_shown).collect();
    let may_show = manifest.dashboards > manifest.empty_dashboards.len();
    // Knowledge about dashboards names them in its own words.
    if !may_show || known.to_lowercase().contains("dashboard") {
        return None;
    }
    let titles: Vec<String> = shown.iter().map(|title| format!("- {}", line(title))).collect();
    Some(match titles.as_slice() {
        [] => {
            let title = line(package.title());
            format!("Open **Dashboards**, search for **{title}**, and check that its dashboards show data.")
        }
        [one] => {
            let title = one.trim_start_matches("- ");
            format!("Open **Dashboards**, select the dashboard **{title}**, and check that it shows data.")
        }
        several => {
            format!("Open **Dashboards**, and check that these dashboards show data:\n{}", several.join("\n"))
        }
    })
}

fn kibana_steps(package: &IntegrationPackage) -> Vec<String> {
    let title = line(package.title());
    let mut steps = vec![
        "In Kibana, open **Management > Integrations**.".to_owned(),
        format!("Search for **{title}**, and select it."),
        format!("Select **Add {title}**."),
    ];
    if package.is_agentless() && package.is_agent_based() {
        steps.push("Choose the agent-based or the agentless deployment.".to_owned());
    }
    let names = form_names(package);
    steps.push(match names.len() {
        0 => "Enter the settings.".to_owned(),
        1 => format!("Enter the settings of {}. The tables that follow describe them.", names[0]),
        _ => format!(
            "Turn on the inputs that you need ({}), and turn off the others. Enter their settings. The tables that follow describe them.",
            join(&names)
        ),
    });
    match (package.is_agent_based(), package.is_agentless()) {
        (true, true) => {
            steps.push(
                "For the agent-based deployment, choose the agent policy for the integration.".to_owned(),
            );
        }
        (true, false) => steps.push("Choose the agent policy for the integration.".to_owned()),
        (false, _) => {}
    }
    steps.push("Select **Save and continue**.".to_owned());
    steps
}

/// Returns the inputs as the form of Kibana names them, in its order and each once: by their titles, else
/// by their types.
fn form_names(package: &IntegrationPackage) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let inputs = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
    for input in inputs {
        let name = match line(&input.title) {
            title if title.is_empty() => format!("the {} input", input_name(&input.kind)),
            title => format!("**{title}**"),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        let kinds = package.input_kinds();
        names = kinds.iter().map(|kind| format!("the {} input", input_name(kind))).collect();
    }
    names
}

/// Returns the places of all inputs of policy templates; if these have none, those of the data streams'
/// inputs.
fn input_places(package: &IntegrationPackage) -> Vec<PackagePlace> {
    let templates = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
    let places: Vec<PackagePlace> = templates.map(|input| input.place.clone()).collect();
    if !places.is_empty() {
        return places;
    }
    package.data_streams.iter().flat_map(|stream| &stream.inputs).map(|input| input.place.clone()).collect()
}
