//! The list prices of well-known models, as of the date in `prices.txt`. They hold for the provider's own endpoint only.

use super::super::money::Prices;

const LIST: &str = include_str!("prices.txt");

/// Returns the list prices of a model at `provider`. A dated or `-latest` name has the prices of its base
/// name: `gpt-x-2025-01-01` → those of `gpt-x`. `None` if the model is not listed.
pub(super) fn listed(provider: &str, model: &str) -> Option<Prices> {
    let is_of = |id: &str| {
        model.strip_prefix(id).is_some_and(|rest| {
            let date = rest.strip_prefix('-').unwrap_or("x");
            rest.is_empty()
                || rest == "-latest"
                || date.chars().all(|c| c.is_ascii_digit() || c == '-') && date.len() >= "20250101".len()
        })
    };
    let mut lines = LIST.lines().filter(|line| !line.starts_with('#'));
    lines.find_map(|line| {
        let mut fields = line.split(' ');
        let is_wanted = fields.next() == Some(provider) && fields.next().is_some_and(is_of);
        let mut price = || fields.next()?.parse().ok();
        is_wanted.then_some(())?;
        Some(Prices { input: price()?, output: price()? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_read() {
        let lines = LIST.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let fields: Vec<&str> = line.split(' ').collect();
            let [provider, model, input, output] = fields[..] else { panic!("{line}") };
            let prices = listed(provider, model).expect(line);
            assert_eq!(
                (prices.input.to_string(), prices.output.to_string()),
                (input.to_owned(), output.to_owned())
            );
            assert!(prices.input > 0.0 && prices.output >= prices.input, "{line}");
        }
    }

    #[test]
    fn snapshots_have_the_prices_of_their_model_and_other_models_have_none() {
        let input = |provider: &str, model: &str| listed(provider, model).map(|prices| prices.input);
        assert_eq!(input("openai", "gpt-4o-2024-08-06"), input("openai", "gpt-4o"));
        assert_eq!(input("anthropic", "claude-sonnet-4-20250514"), Some(3.0));
        assert_eq!(input("anthropic", "claude-3-5-haiku-latest"), Some(0.8));
        assert_ne!(input("openai", "gpt-4o-mini"), input("openai", "gpt-4o"));
        for (provider, model) in
            [("openai", "gpt-4o-audio"), ("openai", "gpt-4"), ("gemini", "gpt-4o"), ("openai", "")]
        {
            assert_eq!(input(provider, model), None, "{provider}/{model}");
        }
    }
}
