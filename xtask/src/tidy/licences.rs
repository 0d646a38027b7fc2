//! Every dependency's licence is one that `deny.toml` allows.

mod expression;

use super::Violation;
use super::tree::Tree;

const DENY: &str = "deny.toml";

pub fn check(tree: &Tree) -> Vec<Violation> {
    let Some(deny) = tree.text(DENY) else {
        return vec![Violation::new(DENY, 1, "missing", "list the allowed licences in it")];
    };
    let allowed = allow_list(deny);
    let hint = "take another library, or allow the licence in deny.toml for a reason";
    tree.resolved
        .iter()
        .filter_map(|package| {
            let licence = package.licence.as_deref().unwrap_or_default();
            let fine = expression::is_met(licence, &|name| allowed.iter().any(|allowed| allowed == name));
            let what = || format!("`{}` is licensed `{licence}`", package.name);
            (!fine).then(|| Violation::new("Cargo.lock", 1, what(), hint))
        })
        .collect()
}

/// The strings of the first `allow = [ … ]`, comments left out.
fn allow_list(deny: &str) -> Vec<String> {
    let lines = deny.lines().map(|line| line.split('#').next().unwrap_or_default());
    let text: String = lines.skip_while(|line| !line.trim_start().starts_with("allow = [")).collect();
    let list = text.split(']').next().unwrap_or_default();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_allow_list_is_read_from_deny_toml() {
        let deny = "[licenses]\nallow = [\n  \"MIT\", # \"GPL\"\n  \"Zlib\",\n]\n[bans]\ndeny = [\"x\"]\n";
        assert_eq!(allow_list(deny), ["MIT", "Zlib"]);
    }
}
