//! `fga transform`: a model from one form into the other. Only a valid model is written.

use std::path::Path;

use fga::Model;
use fga::schema::Schema;
use model::tree::Format;
use model::{Place, Problem};

use super::{document, in_file};
use crate::args::{FgaTransformArgs, InputFile, ModelForm};
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::sources::{self, Source};
use crate::{escape, problems};

/// Carries out `fga transform`.
pub fn run(args: &FgaTransformArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let source = match &args.file {
        InputFile::Stdin => sources::read_stdin(),
        InputFile::Path(path) => {
            sources::read_file(&session.surroundings.absolute(path), &path.display().to_string())
        }
    };
    let source =
        source.map_err(|problem| Failure::usage("nothing was converted").with_problems(vec![problem]))?;
    let from = args.from.unwrap_or_else(|| guess(&source));
    let to = args.to.unwrap_or(match from {
        ModelForm::Dsl => ModelForm::Json,
        ModelForm::Json => ModelForm::Dsl,
    });
    let model = read(&source, from).map_err(|found| {
        let found: Vec<Problem> = found.into_iter().map(|problem| in_file(problem, &source.name)).collect();
        Failure::input("the model is not valid; nothing was converted").with_problems(found)
    })?;
    write(model.schema(), to, &source, session.output)
}

fn guess(source: &Source) -> ModelForm {
    let is = |extension: &str| {
        Path::new(&source.name).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
    };
    if is("json") || (!is("fga") && source.text.trim_start().starts_with('{')) {
        ModelForm::Json
    } else {
        ModelForm::Dsl
    }
}

fn read(source: &Source, form: ModelForm) -> Result<Model, Vec<Problem>> {
    let schema = match form {
        ModelForm::Dsl => Schema::parse(&source.text).map_err(|error| {
            let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            let place = Place { file: None, line: number(error.line), column: number(error.column) };
            vec![Problem::error("", error.message).at(place)]
        })?,
        ModelForm::Json => {
            let value = document(&source.text, Format::Json)?.to_json();
            Schema::from_json(&value).map_err(|error| vec![Problem::error(error.path, error.message)])?
        }
    };
    Model::new(schema)
        .map_err(|problems| problems.iter().map(|problem| Problem::error("", problem.to_string())).collect())
}

fn write(schema: &Schema, form: ModelForm, source: &Source, output: &mut Output) -> Result<(), Failure> {
    if form == ModelForm::Json {
        return output.json(&schema.to_json());
    }
    let text = schema.to_dsl();
    // An escape would change what the expression of a condition means, so it is not written for the author.
    if text.chars().any(|c| escape::is_unsafe(c) && !matches!(c, '\n' | '\t')) {
        let problem = problems::in_file(&source.name, "a condition holds a character that cannot be shown");
        return Err(Failure::input("nothing was converted")
            .with_problems(vec![problem.hint("write it as an escape, such as \\u202e")]));
    }
    output.text(&text)
}
