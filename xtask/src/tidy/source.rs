//! A Rust file taken apart: code, comments, and which lines are tests.

mod imports;
mod lexer;

/// A Rust file with several views of it; all views have the file's line breaks.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: String,
    /// The whole text.
    pub text: String,
    /// Without comments and the contents of literals.
    pub code: String,
    /// Comments only.
    pub comments: String,
    /// Whether each line belongs to tests.
    tests: Vec<bool>,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        let (code, comments) = lexer::separate(text);
        let folders = ["/tests/", "/benches/", "/examples/"];
        let whole = path.ends_with("/tests.rs") || folders.iter().any(|folder| path.contains(folder));
        let tests = if whole { vec![true; text.lines().count()] } else { test_lines(&code) };
        Self { path: path.into(), text: text.into(), code, comments, tests }
    }

    /// The crate's directory: `model` for `crates/model/src/name.rs`.
    pub fn krate(&self) -> &str {
        let path = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        path.split('/').next().unwrap_or_default()
    }

    /// The file's name.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Whether the whole file is tests, benchmarks or an example: no code of the product.
    pub fn is_test_file(&self) -> bool {
        self.tests.iter().all(|test| *test)
    }

    /// Whether the line, counted from 1, belongs to tests.
    pub fn is_test(&self, line: usize) -> bool {
        self.tests.get(line - 1).copied().unwrap_or_default()
    }

    /// Lines of code, with their numbers.
    pub fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// Whole paths of `use` declarations with groups written out, with their line numbers.
    pub fn imports(&self) -> Vec<(usize, String)> {
        imports::all(&self.code)
    }

    /// How many lines there are besides tests.
    pub fn length_without_tests(&self) -> usize {
        self.tests.iter().filter(|test| !**test).count()
    }
}

/// The number of the line that holds the byte at `at`, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
}

/// Whether `code[at..]` begins with `word` and neither side continues it.
pub fn is_word(code: &str, at: usize, word: &str) -> bool {
    let joins = |character: char| character.is_alphanumeric() || character == '_';
    let before = code[..at].chars().next_back();
    let after = code[at + word.len()..].chars().next();
    !before.is_some_and(joins) && !after.is_some_and(joins)
}

/// Where `word` stands as a whole word.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |at| is_word(code, *at, word))
}

/// The end of the item that starts at `from`: behind its block, or behind its semicolon.
/// Also tells where the block began, if there was one.
pub fn item_end(code: &str, from: usize) -> (usize, Option<usize>) {
    let (mut nesting, mut braces, mut block) = (0_i32, 0_i32, None);
    for (offset, byte) in code.as_bytes()[from..].iter().enumerate() {
        match byte {
            b'(' | b'[' => nesting += 1,
            b')' | b']' => nesting -= 1,
            b'{' => {
                block = block.or(Some(from + offset));
                braces += 1;
            }
            b'}' => {
                braces -= 1;
                if braces <= 0 {
                    return (from + offset + 1, block);
                }
            }
            b';' if braces == 0 && nesting == 0 => return (from + offset + 1, None),
            _ => {}
        }
    }
    (code.len(), block)
}

fn test_lines(code: &str) -> Vec<bool> {
    const MARK: &str = "#[cfg(test)]";
    let mut tests = vec![false; code.lines().count()];
    for (at, _) in code.match_indices(MARK) {
        let (end, _) = item_end(code, at + MARK.len());
        let (first, last) = (line_of(code, at), line_of(code, end - 1));
        tests[first - 1..last].fill(true);
    }
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_module_is_no_code_of_the_product() {
        let source = Source::new(
            "crates/model/src/a.rs",
            "//! A.\nfn a() {}\n#[cfg(test)]\nmod tests {\n}\nfn b() {}\n",
        );
        assert_eq!(source.krate(), "model");
        assert_eq!(source.length_without_tests(), 3);
        assert!(source.is_test(4) && !source.is_test(6));
    }

    #[test]
    fn an_item_ends_behind_its_block_or_semicolon() {
        let code = "fn a(x: [u8; 2]) { if x { } } fn b();";
        assert_eq!(item_end(code, 0), (29, Some(17)));
        assert_eq!(item_end(code, 30), (code.len(), None));
    }

    #[test]
    fn words_do_not_match_inside_names() {
        assert_eq!(words("sqlx my_sqlx sqlxs sqlx::x", "sqlx").collect::<Vec<_>>(), [0, 19]);
    }
}
