//! Paths and query strings of the REST API.

use url::form_urlencoded::Serializer;

use crate::session::Chosen;

/// A path with its query, built up.
#[derive(Clone)]
pub struct Query {
    path: String,
    pairs: Vec<(String, String)>,
}

impl Query {
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), pairs: Vec::new() }
    }

    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.pairs.push((key.to_owned(), value.to_owned()));
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

    pub fn finish(self) -> String {
        if self.pairs.is_empty() {
            return self.path;
        }
        let query = Serializer::new(String::new()).extend_pairs(&self.pairs).finish();
        format!("{}?{query}", self.path)
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
