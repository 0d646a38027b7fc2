//! SPDX licence expressions: `OR`, `AND`, `WITH`, parentheses, and the old `/` for `OR`.

/// Whether the expression can be met with licences that are `allowed`; one that cannot be read is not met.
pub(super) fn is_met(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words: Vec<&str> = spaced.split_whitespace().rev().collect();
    let met = any(&mut words, allowed);
    met == Some(true) && words.is_empty()
}

fn any(words: &mut Vec<&str>, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut met = all(words, allowed)?;
    while words.pop_if(|word| *word == "OR").is_some() {
        met |= all(words, allowed)?;
    }
    Some(met)
}

fn all(words: &mut Vec<&str>, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut met = one(words, allowed)?;
    while words.pop_if(|word| *word == "AND").is_some() {
        met &= one(words, allowed)?;
    }
    Some(met)
}

fn one(words: &mut Vec<&str>, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let word = words.pop()?;
    if word == "(" {
        let met = any(words, allowed)?;
        return (words.pop()? == ")").then_some(met);
    }
    if words.pop_if(|word| *word == "WITH").is_some() {
        let exception = words.pop()?;
        return Some(allowed(&format!("{word} WITH {exception}")));
    }
    Some(allowed(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_as_spdx_defines() {
        let allowed = |name: &str| matches!(name, "MIT" | "Apache-2.0" | "Unicode-3.0");
        let cases = [
            ("MIT", true),
            ("MIT/GPL-3.0", true),
            ("GPL-3.0", false),
            ("", false),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0 AND MIT", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("MIT OR Apache-2.0 AND GPL-3.0", true),
            ("Apache-2.0 WITH LLVM-exception", false),
            ("Apache-2.0 WITH LLVM-exception OR MIT", true),
            ("(MIT", false),
        ];
        for (expression, expected) in cases {
            assert_eq!(is_met(expression, &allowed), expected, "{expression}");
        }
    }
}
