//! Time stamps in the files that workflows write: UTC, ISO 8601, to the second (DOC-87). The caller
//! passes the time; nothing here reads the clock.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const DAY: u64 = 86_400;

/// A time stamp, to the second.
///
/// ```
/// use stategraph::workflows::Timestamp;
///
/// let moment = Timestamp::from_ms(1_705_314_600_999);
/// assert_eq!(moment.to_string(), "2024-01-15T10:30:00Z");
/// assert_eq!(moment.date(), "2024-01-15");
/// assert_eq!(moment.compact(), "20240115_103000");
/// assert_eq!("2024-01-15T10:30:00Z".parse(), Ok(moment));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// Converts milliseconds since 1970 (UTC), as [`Clock::now_ms`](crate::engine::Clock::now_ms) returns them.
    pub fn from_ms(ms: u64) -> Self {
        Self(ms / 1000)
    }

    /// Returns the date: `2024-01-15`.
    pub fn date(self) -> String {
        let (year, month, day) = date_of_day(self.0 / DAY);
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// Formats the time stamp without punctuation, for ids: `20240115_103000`.
    pub fn compact(self) -> String {
        self.to_string().replace(['-', ':', 'Z'], "").replace('T', "_")
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second = self.0 % DAY;
        write!(f, "{}T{:02}:{:02}:{:02}Z", self.date(), second / 3600, second / 60 % 60, second % 60)
    }
}

impl FromStr for Timestamp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{}` is no moment such as 2024-01-15T10:30:00Z",
                text.chars().take(40).collect::<String>()
            )
        };
        let digits: Vec<&str> = text.split(['-', 'T', ':', 'Z']).collect();
        let [year, month, day, hour, minute, second, ""] = digits[..] else { return Err(wrong()) };
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
        let days = day_of_date(number(year)?, number(month)?, number(day)?).ok_or_else(wrong)?;
        let moment = Self(days * DAY + number(hour)? * 3600 + number(minute)? * 60 + number(second)?);
        // A text that does not round-trip is rejected, because it names no real date, such as the 31st of April.
        if moment.to_string() == text { Ok(moment) } else { Err(wrong()) }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// Returns year, month and day of a number of days since 1970 (Howard Hinnant's `civil_from_days`).
fn date_of_day(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// Returns the number of days since 1970 of a date (`days_from_civil`). `None` before 1970, after the
/// year 9999, and for days or months out of range; a day that its month lacks, such as 31 April, is not
/// detected.
fn day_of_date(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = year - u64::from(month <= 2);
    let (era, year_of_era) = (year / 400, year % 400);
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era).checked_sub(719_468)
}
