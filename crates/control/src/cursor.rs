//! Where the next page of a list begins, as an opaque text.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::{Name, Scope};

/// The cursor after this resource.
pub(crate) fn encode(name: &Name, scope: &Scope) -> String {
    URL_SAFE_NO_PAD.encode(format!("{name}\n{}\n{}", scope.name(), scope.holder()))
}

/// The resource a cursor stands after.
pub(crate) fn decode(text: &str) -> Option<(Name, Scope)> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let mut parts = text.splitn(3, '\n');
    let name = parts.next()?.parse().ok()?;
    let scope = Scope::from_parts(parts.next()?, parts.next()?)?;
    Some((name, scope))
}

#[cfg(test)]
mod tests {
    use model::Scope;

    use super::{decode, encode};

    #[test]
    fn a_cursor_comes_back_and_a_forged_one_is_refused() {
        let name = "github".parse().unwrap();
        for scope in [Scope::Platform, Scope::Organization("acme".parse().unwrap())] {
            assert_eq!(decode(&encode(&name, &scope)), Some((name.clone(), scope)));
        }
        for forged in ["", "!!!", "Z2l0aHVi", "Z2l0aHViCnBsYXRmb3JtCng"] {
            assert_eq!(decode(forged), None, "{forged}");
        }
    }
}
