//! Paths and query strings of the REST API.

use url::form_urlencoded::Serializer;

use crate::session::Chosen;

/// A path with its query, built up.
pub struct Query {
    path: String,
    pairs: Serializer<'static, String>,
    any: bool,
}

impl Query {
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), pairs: Serializer::new(String::new()), any: false }
    }

    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.pairs.append_pair(key, value);
        self.any = true;
        self
    }

    #[must_use]
    pub fn maybe(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    #[must_use]
    pub fn flag(self, key: &str, set: bool) -> Self {
        if set { self.with(key, "true") } else { self }
    }

    #[must_use]
    pub fn chosen(self, chosen: &Chosen) -> Self {
        self.maybe("scope", chosen.scope.map(model::ScopeName::as_str)).maybe("org", chosen.org.as_deref())
    }

    pub fn finish(mut self) -> String {
        if self.any { format!("{}?{}", self.path, self.pairs.finish()) } else { self.path }
    }
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn values_are_encoded_and_nothing_is_appended_without_pairs() {
        assert_eq!(Query::new("/a").finish(), "/a");
        let query = Query::new("/a").with("search", "x y&z").maybe("org", None).flag("force", true);
        assert_eq!(query.finish(), "/a?search=x+y%26z&force=true");
    }
}
