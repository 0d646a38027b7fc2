//! The one place that writes to standard output and standard error.
//!
//! Every text is made safe here: data never breaks a line. Colour is added only here, and a reader that went
//! away ends the command.

use std::io::{self, Write};

use serde_json::Value as Json;

use crate::Surroundings;
use crate::escape;
use crate::failure::{Cause, Failure};

/// How a line is coloured on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Good,
    Bad,
    Added,
    Removed,
    Heading,
}

impl Style {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Good | Self::Added => "\u{1b}[32m",
            Self::Bad | Self::Removed => "\u{1b}[31m",
            Self::Heading => "\u{1b}[1m",
        }
    }
}

/// Where a command writes, and whether with colour.
pub struct Output {
    out: Box<dyn Write + Send>,
    err: Box<dyn Write + Send>,
    colour_out: bool,
    colour_err: bool,
}

impl Output {
    /// Writes to the process's own streams.
    pub fn standard(surroundings: &Surroundings) -> Self {
        Self {
            out: Box::new(io::BufWriter::new(io::stdout())),
            err: Box::new(io::stderr()),
            colour_out: surroundings.stdout_is_terminal && !surroundings.no_color,
            colour_err: surroundings.stderr_is_terminal && !surroundings.no_color,
        }
    }

    /// Writes elsewhere, without colour.
    pub fn to(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>) -> Self {
        Self { out, err, colour_out: false, colour_err: false }
    }

    /// One line, whatever the text holds.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.styled(Style::Plain, text)
    }

    /// One line with colour on a terminal.
    pub(crate) fn styled(&mut self, style: Style, text: &str) -> Result<(), Failure> {
        let painted = paint(style, &escape::cell(text), self.colour_out);
        self.bytes(painted.as_bytes())?;
        self.bytes(b"\n")
    }

    /// Several lines, in which data was made safe already.
    pub(crate) fn block(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(escape::lines(text).as_bytes())?;
        self.bytes(b"\n")
    }

    /// JSON for machines.
    pub(crate) fn json(&mut self, value: &Json) -> Result<(), Failure> {
        let text = pretty(value);
        self.bytes(text.as_bytes())?;
        self.bytes(b"\n")
    }

    /// One JSON value on one line.
    pub(crate) fn json_line(&mut self, value: &Json) -> Result<(), Failure> {
        let text = value.to_string();
        self.bytes(escape::json(&text).as_bytes())?;
        self.bytes(b"\n")
    }

    /// One YAML document.
    pub(crate) fn yaml(&mut self, value: &Json) -> Result<(), Failure> {
        let text = yaml_text(value);
        self.bytes(text.as_bytes())
    }

    /// Text of our own making, as it is.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    /// Bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write_all(bytes).map_err(|error| cannot_write(&error))
    }

    /// Hands on what was written so far.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| cannot_write(&error))
    }

    /// One line beside the result, on standard error. A lost standard error stops nothing.
    pub(crate) fn note(&mut self, text: &str) {
        self.aside(Style::Plain, text);
    }

    /// One coloured line on standard error.
    pub(crate) fn aside(&mut self, style: Style, text: &str) {
        let painted = paint(style, &escape::cell(text), self.colour_err);
        let _ = self.out.flush();
        let _ = writeln!(self.err, "{painted}");
    }

    /// A question on standard error, the cursor left behind it.
    pub(crate) fn ask(&mut self, question: &str) {
        let _ = self.out.flush();
        let _ = write!(self.err, "{} ", escape::cell(question));
        let _ = self.err.flush();
    }
}

/// A document as YAML, which quotes and escapes whatever is not safe to show.
pub(crate) fn yaml_text(value: &Json) -> String {
    model::tree::to_yaml(value)
}

fn pretty(value: &Json) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    escape::json(&text).into_owned()
}

fn paint(style: Style, text: &str, colour: bool) -> String {
    if colour && style != Style::Plain { format!("{}{text}\u{1b}[0m", style.code()) } else { text.to_owned() }
}

fn cannot_write(error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::new(Cause::ReaderGone, "the reader of standard output went away");
    }
    Failure::input(format!("cannot write to standard output: {error}"))
        .hint("look at the free space of where it goes, and try again")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Style, paint, yaml_text};

    #[test]
    fn colour_is_added_only_when_asked_for() {
        assert_eq!(paint(Style::Good, "x", false), "x");
        assert_eq!(paint(Style::Good, "x", true), "\u{1b}[32mx\u{1b}[0m");
    }

    #[test]
    fn yaml_that_would_reorder_text_is_written_with_escapes_and_reads_back_the_same() {
        let value = json!({"a": "x\u{202e}y"});
        let text = yaml_text(&value);
        assert!(text.is_ascii(), "{text}");
        let read = model::tree::parse(&text, model::tree::Format::Yaml).unwrap();
        assert_eq!(read[0].to_json(), value);
        assert_eq!(yaml_text(&json!({"a": "b"})), "a: b\n");
    }
}
