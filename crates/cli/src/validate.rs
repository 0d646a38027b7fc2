//! `validate`: every check that needs no daemon.

use model::spec::Rules;

use crate::args::ValidateArgs;
use crate::documents::{self, Check};
use crate::failure::Failure;
use crate::output::Style;
use crate::problems;
use crate::session::Session;

/// Carries out `validate`.
pub fn run(args: &ValidateArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let check = Check { only: None, rules: Rules::default() };
    let batch = documents::load(&args.manifests, check, session)?;
    let count = batch.sound.len();
    problems::warn(batch.warnings, session.output);
    let noun = if count == 1 { "document is" } else { "documents are" };
    session.output.styled(Style::Good, &format!("✓ {count} {noun} valid"))
}
