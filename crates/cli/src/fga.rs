//! `fga`: relationship models and their tests, without a daemon.

mod pattern;
mod test;
mod transform;

use model::Problem;
use model::tree::{self, Format, Node};

use crate::args::FgaCommand;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;

/// Carries out `fga`.
pub fn run(command: &FgaCommand, session: &mut Session<'_>) -> Result<u8, Failure> {
    match command {
        FgaCommand::Test(args) => test::run(args, session),
        FgaCommand::Transform(args) => transform::run(args, session).map(|()| exit::DONE),
    }
}

/// The one document of a text.
fn document(text: &str, format: Format) -> Result<Node, Vec<Problem>> {
    let mut documents = tree::parse(text, format)?;
    match (documents.pop(), documents.len()) {
        (Some(document), 0) => Ok(document),
        (None, _) => Err(vec![Problem::error("", "holds nothing")]),
        (Some(_), others) => {
            Err(vec![Problem::error("", format!("holds {} documents where one belongs", others + 1))])
        }
    }
}

/// The problem with the name of the file it was found in.
fn in_file(mut problem: Problem, name: &str) -> Problem {
    problem.place.get_or_insert(model::Place { file: None, line: 1, column: 1 }).file = Some(name.to_owned());
    problem
}
