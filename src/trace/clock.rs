//! From the prefix's local times, which have no year and no zone, to absolute ones.

use super::prefix::LocalTime;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use std::fmt::Write;

/// Time zones are multiples of a quarter of an hour, so the difference of two clocks is rounded to that.
const ZONE_STEP_US: i64 = 15 * 60 * 1_000_000;
/// No time zone is more than 14 hours from UTC; a stamp further off says nothing about the zone.
const MAX_ZONE_US: i64 = 14 * 3_600_000_000;
/// 9999-12-31: a larger number is not a time.
const MAX_EPOCH_US: i64 = 253_402_300_799_000_000;

/// Bytes of a time with year and zone.
const LONGEST_STAMP: usize = "2026-11-20T04:55:35.653000+01:00".len();

/// Finds the year and the zone of a log from its first absolute stamp.
#[derive(Default, Clone, Debug)]
pub struct Clock {
    last_month: u8,
    wraps: u16,
    anchor: Option<Anchor>,
}

/// A record's time and how often the year had changed by then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stamp {
    /// Times the month fell from 12 to 1 since the start of the log.
    pub wraps: u16,
    /// What the prefix says.
    pub time: LocalTime,
}

#[derive(Clone, Copy, Debug)]
struct Anchor {
    /// The year in which the log begins.
    year: i64,
    zone_us: i64,
}

impl Clock {
    /// Takes the time of the next record; must be called for every record, in order.
    pub fn tick(&mut self, time: LocalTime) -> Stamp {
        match (self.last_month, time.month) {
            (12, 1) => self.wraps = self.wraps.saturating_add(1),
            // Merged logs go back and forth around New Year.
            (1, 12) => self.wraps = self.wraps.saturating_sub(1),
            _ => {}
        }
        self.last_month = time.month;
        Stamp { wraps: self.wraps, time }
    }

    /// Takes an absolute time: the record passed to [`Clock::tick`] last, with this local time, was written `epoch_us`
    /// microseconds after 1970 (UTC).
    ///
    /// The first plausible stamp decides.
    pub fn anchor(&mut self, local: LocalTime, epoch_us: i64) {
        if self.anchor.is_some() || !(0..=MAX_EPOCH_US).contains(&epoch_us) {
            return;
        }
        let Some(year) = year_of(epoch_us) else { return };
        let nearest = [year - 1, year, year + 1]
            .into_iter()
            .filter_map(|year| Some((year, local_us(year, local)? - epoch_us)))
            .min_by_key(|(_, off)| off.abs());
        let Some((year, off)) = nearest else { return };
        let zone_us = (off + ZONE_STEP_US / 2).div_euclid(ZONE_STEP_US) * ZONE_STEP_US;
        if zone_us.abs() <= MAX_ZONE_US {
            self.anchor = Some(Anchor { year: year - i64::from(self.wraps), zone_us });
        }
    }

    /// `2026-11-20T04:55:35.653000+01:00`, or `11-20T04:55:35.653000` when year and zone are not known.
    pub fn format(&self, stamp: Stamp) -> String {
        let mut text = String::with_capacity(LONGEST_STAMP);
        let Some(Anchor { year, zone_us }) = self.anchor else {
            stamp.time.push_to(&mut text);
            return text;
        };
        let minutes = zone_us.abs() / 60_000_000;
        let sign = if zone_us < 0 { '-' } else { '+' };
        let year = year + i64::from(stamp.wraps);
        // Writing to memory cannot fail.
        let _ = write!(text, "{year:04}-");
        stamp.time.push_to(&mut text);
        let _ = write!(text, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        text
    }

    /// Microseconds since 1970 (UTC); `None` when the zone is not known or there is no such date.
    pub fn epoch_us(&self, stamp: Stamp) -> Option<i64> {
        let Anchor { year, zone_us } = self.anchor?;
        Some(local_us(year + i64::from(stamp.wraps), stamp.time)? - zone_us)
    }
}

/// Microseconds since 1970 (UTC) of a time as [`Clock::format`] writes it; None where it has neither year nor zone.
pub fn instant(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond)
}

/// Microseconds from 1970 to this local time, as if it were UTC; `None` when the calendar has no such time.
fn local_us(year: i64, time: LocalTime) -> Option<i64> {
    let part = |number: u8| i8::try_from(number).ok();
    // The calendar crate knows no leap seconds: one counts as the second after the 59th.
    let leap = i64::from(time.second == 60);
    let second = if leap == 1 { 59 } else { part(time.second)? };
    let date = Date::new(i16::try_from(year).ok()?, part(time.month)?, part(time.day)?).ok()?;
    let time_of_day = Time::new(part(time.hour)?, part(time.minute)?, second, 0).ok()?;
    let whole = TimeZone::UTC.to_timestamp(date.to_datetime(time_of_day)).ok()?;
    Some((whole.as_second() + leap) * 1_000_000 + i64::from(time.micros))
}

/// The year (UTC) of a time in microseconds since 1970.
fn year_of(epoch_us: i64) -> Option<i64> {
    let timestamp = Timestamp::from_microsecond(epoch_us).ok()?;
    Some(i64::from(TimeZone::UTC.to_datetime(timestamp).year()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(month: u8, day: u8, hour: u8, minute: u8) -> LocalTime {
        LocalTime { month, day, hour, minute, second: 35, micros: 653_000 }
    }

    /// 2026-11-20T03:55:35.653 UTC.
    const NOVEMBER: i64 = 1_795_146_935_653_000;

    #[test]
    fn leap_days_and_leap_seconds_have_their_place() {
        let leap_day = LocalTime { month: 2, day: 29, hour: 0, minute: 0, second: 0, micros: 1 };
        assert_eq!(local_us(2000, leap_day), Some(951_782_400_000_001));
        assert_eq!(local_us(2100, leap_day), None);
        assert_eq!(local_us(10_000, at(11, 20, 4, 55)), None);
        let end = LocalTime { month: 12, day: 31, hour: 23, minute: 59, second: 60, micros: 0 };
        assert_eq!(local_us(2016, end), Some(1_483_228_800_000_000));
        assert_eq!(local_us(2016, LocalTime { second: 61, ..end }), None);
        assert_eq!((year_of(-1), year_of(0), year_of(NOVEMBER)), (Some(1969), Some(1970), Some(2026)));
    }
}
