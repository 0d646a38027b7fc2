//! `fga`: what can be typed about relationship models.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::InputFile;

/// `fga`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum FgaCommand {
    /// Run OpenFGA store files: a model, tuples, and the answers expected
    Test(FgaTestArgs),
    /// Check a model and convert it between the DSL and JSON
    Transform(FgaTransformArgs),
}

/// `fga test`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter fga test store.fga.yaml\n  outfitter fga test --tests 'tests/*.fga.yaml'\n\n\
                  Exit codes: 0 all answers were as expected, 1 some were not or a file is not valid, \
                  2 a file could not be read"
)]
pub(crate) struct FgaTestArgs {
    /// Store files; the files they name are looked for beside them
    #[arg(value_name = "FILE", required_unless_present = "tests")]
    pub files: Vec<PathBuf>,
    /// Files by a pattern with * and ?; repeat for more
    #[arg(long, value_name = "PATTERN")]
    pub tests: Vec<String>,
}

/// How a model is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelForm {
    /// The modelling language
    Dsl,
    /// What OpenFGA's API takes
    Json,
}

/// `fga transform`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  outfitter fga transform model.fga > model.json\n  \
                  outfitter fga transform --to dsl model.json\n  outfitter fga transform --from dsl --to dsl -")]
pub(crate) struct FgaTransformArgs {
    /// The model, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: InputFile,
    /// Read this form [default: told by the file's name, else by its first character]
    #[arg(long, value_name = "FORM")]
    pub from: Option<ModelForm>,
    /// Write this form [default: the other one]
    #[arg(long, value_name = "FORM")]
    pub to: Option<ModelForm>,
}
