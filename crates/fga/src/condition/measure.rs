//! How large a context's values are: what exceeds a bound is refused before it is read any further.

use serde_json::Value;

use super::limits;

/// What a value takes beside its text, about the memory of one value of an expression.
pub(super) const SCALAR: u64 = 32;

/// What a value takes beside that within another one, where it is copied and dropped by itself.
const ELEMENT: u64 = 64;

/// Why a value is too large.
pub(super) type Excess = &'static str;

/// How much of the bound on text is used up.
#[derive(Debug, Default)]
pub(super) struct Usage(usize);

impl Usage {
    /// Counts a parameter's value in.
    pub(super) fn add(&mut self, value: &Value) -> Result<(), Excess> {
        self.value(value, 0)
    }

    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Excess> {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(elements) => {
                Self::container(elements.len(), depth)?;
                elements.iter().try_for_each(|element| self.value(element, depth + 1))
            }
            Value::Object(entries) => {
                Self::container(entries.len(), depth)?;
                entries.iter().try_for_each(|(key, value)| {
                    self.text(key)?;
                    self.value(value, depth + 1)
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => self.bytes(4),
        }?;
        self.bytes(2)
    }

    fn container(elements: usize, depth: usize) -> Result<(), Excess> {
        if depth >= limits::CONTEXT_DEPTH {
            return Err("nests too deep");
        }
        if elements > limits::CONTEXT_ELEMENTS {
            return Err("has a list or map of too many elements");
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Excess> {
        if text.len() > limits::CONTEXT_STRING_BYTES {
            return Err("has too long a text");
        }
        self.bytes(text.len())
    }

    fn bytes(&mut self, bytes: usize) -> Result<(), Excess> {
        self.0 += bytes;
        if self.0 > limits::CONTEXT_BYTES { Err("makes the context too large") } else { Ok(()) }
    }
}

/// How large a value is at most, for an estimate of what an expression does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight {
    /// The elements of the longest list or map in it.
    pub(super) length: u64,
    /// All of it.
    pub(super) bytes: u64,
    /// The largest value within it.
    pub(super) element: u64,
}

impl Weight {
    /// A value without parts.
    pub(super) const SCALAR: Self = Self { length: 0, bytes: SCALAR, element: SCALAR };

    /// A text.
    pub(super) fn text(length: usize) -> Self {
        Self { bytes: SCALAR + length as u64, ..Self::SCALAR }
    }

    /// A list or map of these.
    pub(super) fn container(elements: usize, parts: impl IntoIterator<Item = Self>) -> Self {
        let empty = Self { length: elements as u64, ..Self::SCALAR };
        parts.into_iter().fold(empty, |whole, part| Self {
            length: whole.length.max(part.length),
            bytes: whole.bytes.saturating_add(part.bytes).saturating_add(ELEMENT),
            element: whole.element.max(part.bytes).max(part.element),
        })
    }

    /// A map of these, each entry of which is hashed too.
    pub(super) fn map(entries: impl ExactSizeIterator<Item = (Self, Self)>) -> Self {
        let hash = Self { bytes: 2 * ELEMENT, ..Self::SCALAR };
        Self::container(entries.len(), entries.flat_map(|(key, value)| [key, value, hash]))
    }

    /// All of these, side by side.
    pub(super) fn together(parts: &[Self]) -> Self {
        let nothing = Self { length: 0, bytes: 0, element: 0 };
        parts.iter().fold(nothing, |whole, part| Self {
            length: whole.length.saturating_add(part.length),
            bytes: whole.bytes.saturating_add(part.bytes),
            element: whole.element.max(part.element),
        })
    }

    /// Whatever is taken out of it.
    pub(super) fn part(self) -> Self {
        Self { bytes: self.element, ..self }
    }

    /// A context's value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::text(text.len()),
            Value::Array(elements) => Self::container(elements.len(), elements.iter().map(Self::of)),
            Value::Object(entries) => {
                Self::map(entries.iter().map(|(key, value)| (Self::text(key.len()), Self::of(value))))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::SCALAR,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fits(value: &Value) -> Result<(), Excess> {
        Usage::default().add(value)
    }

    fn nested(depth: usize) -> Value {
        (0..depth).fold(
            json!(1),
            |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({ "a": inner }) },
        )
    }

    #[test]
    fn each_bound_holds_to_the_last_one() {
        assert_eq!(fits(&json!("a".repeat(16 * 1024))), Ok(()));
        assert_eq!(fits(&json!("a".repeat(16 * 1024 + 1))), Err("has too long a text"));
        assert_eq!(fits(&json!(vec![1; 1_000])), Ok(()));
        assert_eq!(fits(&json!(vec![1; 1_001])), Err("has a list or map of too many elements"));
        let entries = |count: usize| Value::Object((0..count).map(|n| (n.to_string(), json!(n))).collect());
        assert_eq!(fits(&entries(1_000)), Ok(()));
        assert_eq!(fits(&entries(1_001)), Err("has a list or map of too many elements"));
        assert_eq!(fits(&nested(16)), Ok(()));
        assert_eq!(fits(&nested(17)), Err("nests too deep"));
    }

    #[test]
    fn the_text_of_all_parameters_is_bounded_together() {
        let text = json!("a".repeat(16 * 1024 - 2));
        let mut usage = Usage::default();
        for _ in 0..4 {
            assert_eq!(usage.add(&text), Ok(()));
        }
        assert_eq!(usage.add(&json!(1)), Err("makes the context too large"));
        let many_small = json!(vec![vec![1; 1_000]; 1_000]);
        assert_eq!(fits(&many_small), Err("makes the context too large"));
        let keys: serde_json::Map<_, _> =
            (0..100).map(|n| (format!("{n}{}", "a".repeat(1_000)), json!(1))).collect();
        assert_eq!(fits(&Value::Object(keys)), Err("makes the context too large"));
    }

    #[test]
    fn a_weight_is_never_less_than_what_it_weighs() {
        let weight = Weight::of(&json!({ "names": ["a", "bcd"], "n": 1 }));
        assert_eq!(weight.length, 2);
        assert_eq!(weight.element, 32 + (33 + 64) + (35 + 64));
        let hash = 3 * 64;
        assert_eq!(weight.bytes, 32 + (37 + 64) + (33 + 64) + (weight.element + 64) + (32 + 64) + 2 * hash);
        assert_eq!(weight.part().bytes, weight.element);
    }
}
