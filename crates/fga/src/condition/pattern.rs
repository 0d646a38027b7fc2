//! How heavy a regular expression is, read from its text alone: the automaton it needs is never larger than
//! told here.

/// A class of Unicode such as `\w`, which takes hundreds of ranges.
const WIDE_CLASS: u64 = 100;
/// A class that takes several ranges: `.`, `\d`, `\s`, or a negated or spanning one.
const NARROW_CLASS: u64 = 20;
/// What telling cases apart no longer costs: each letter becomes a class.
const CASELESS: u64 = 4;

/// The weight of a pattern: about one for each state of its automaton.
pub(super) fn weight(pattern: &str) -> u64 {
    let mut reading = Reading { rest: pattern, groups: vec![], sum: 0, last: 0, caseless: 1 };
    while let Some(character) = reading.rest.chars().next() {
        reading.rest = &reading.rest[character.len_utf8()..];
        reading.take(character);
    }
    while !reading.groups.is_empty() {
        reading.close();
    }
    reading.sum.saturating_mul(reading.caseless)
}

struct Reading<'p> {
    rest: &'p str,
    groups: Vec<u64>,
    sum: u64,
    last: u64,
    caseless: u64,
}

impl Reading<'_> {
    fn take(&mut self, character: char) {
        match character {
            '(' | '[' => self.open(),
            ')' | ']' => self.close(),
            '{' => self.repeat(),
            '*' | '+' | '?' | '|' => self.sum = self.sum.saturating_add(1),
            '.' | '^' | '-' | '~' | '&' => self.atom(NARROW_CLASS),
            '\\' => self.escape(),
            _ => self.atom(1),
        }
    }

    fn atom(&mut self, weight: u64) {
        self.last = weight;
        self.sum = self.sum.saturating_add(weight);
    }

    fn open(&mut self) {
        self.groups.push(self.sum);
        (self.sum, self.last) = (1, 0);
        if let Some(flags) = self.rest.strip_prefix('?') {
            let flags = flags.split([':', ')', '<']).next().unwrap_or_default();
            if flags.contains('i') {
                self.caseless = CASELESS;
            }
            // Blanks and comments could stand between a count and what it repeats.
            if flags.contains('x') {
                self.caseless = u64::MAX;
            }
        }
    }

    fn close(&mut self) {
        self.last = self.sum;
        self.sum = self.sum.saturating_add(self.groups.pop().unwrap_or_default());
    }

    /// `{n}`, `{n,}`, `{n,m}`: what stands before it, as many times as it may be asked for.
    fn repeat(&mut self) {
        let (counts, rest) = self.rest.split_once('}').unwrap_or((self.rest, ""));
        self.rest = rest;
        let number =
            |count: &str| count.chars().filter(char::is_ascii_digit).collect::<String>().parse::<u64>();
        let most = counts.split(',').filter_map(|count| number(count).ok()).max();
        let repeated = self.last.saturating_mul(most.unwrap_or(1));
        self.sum = self.sum.saturating_add(repeated);
        self.last = self.last.saturating_add(repeated);
    }

    fn escape(&mut self) {
        let Some(character) = self.rest.chars().next() else { return };
        self.rest = &self.rest[character.len_utf8()..];
        match character {
            'p' | 'P' => {
                self.atom(WIDE_CLASS);
                // Its name, `L` or `{Greek}`, says nothing more.
                let named = if self.rest.starts_with('{') { self.rest.find('}') } else { None };
                let letter = self.rest.chars().next().map_or(0, char::len_utf8);
                self.rest = &self.rest[named.map_or(letter, |brace| brace + 1)..];
            }
            'w' | 'W' | 'b' | 'B' => self.atom(WIDE_CLASS),
            'd' | 'D' | 's' | 'S' => self.atom(NARROW_CLASS),
            _ => self.atom(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::limits::PATTERN_WEIGHT;

    #[test]
    fn everyday_patterns_are_light() {
        for pattern in [
            "^foo.*$",
            "^[a-z0-9._-]+@example\\.com$",
            "^\\d{4}-\\d{2}-\\d{2}$",
            "(?i)admin|owner",
            "^[A-Z]{2,20}$",
            "^(alpha|beta|gamma)-\\w+$",
        ] {
            assert!(weight(pattern) <= PATTERN_WEIGHT, "{pattern}: {}", weight(pattern));
        }
    }

    #[test]
    fn bombs_are_heavy() {
        for pattern in [
            "a{2000}",
            "((a{20}){20}){20}",
            "a{20}{20}{20}",
            "(?i)[a-z]{200}",
            "\\w{50}",
            "(\\pL|\\d){40}",
            "[\\w\\s]{40}",
            "(((((a{6}){6}){6}){6}){6})",
            "\\pL{20}",
            "\\p{Greek}{20}",
            "a\\PL{4}{4}",
            "(?x)a # comment\n {2000}",
            "(?sx-i:a)",
            "(x{99999999999999}){99999999999999}",
        ] {
            assert!(weight(pattern) > PATTERN_WEIGHT, "{pattern}: {}", weight(pattern));
        }
    }
}
