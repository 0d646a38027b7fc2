//! `testkit torture` and `testkit bench`: the long chores, with the binary built beside this one.

use std::env;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use testkit::{bench, torture};

const USAGE: &str = "\
usage: testkit torture [--kills N] [--database sqlite|postgres] [--clients N] [--seed N] [--binary PATH]
       testkit bench [--short] [--binary PATH]
";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let outcome = match args.split_first() {
        Some((command, rest)) if command == "torture" => torture(rest),
        Some((command, rest)) if command == "bench" => bench(rest),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(code) => code,
        Err(message) => {
            // Without stderr there is nobody to tell.
            let _ = writeln!(io::stderr(), "{}", message.trim_end());
            ExitCode::from(2)
        }
    }
}

fn torture(args: &[String]) -> Result<ExitCode, String> {
    let mut options = torture::Options::default();
    let mut args = args.iter();
    while let Some(flag) = args.next() {
        let value = args.next().ok_or(USAGE)?;
        match flag.as_str() {
            "--kills" => options.kills = number(value)?,
            "--clients" => options.clients = number(value)?,
            "--seed" => options.seed = number(value)?,
            "--binary" => options.binary = Some(value.into()),
            "--database" if value == "sqlite" => options.database = torture::Database::Sqlite,
            "--database" if value == "postgres" => options.database = torture::Database::Postgres,
            _ => return Err(USAGE.into()),
        }
    }
    let report = torture::run_watched(&options, |so_far| {
        // Progress is for whoever watches; the outcome is printed below.
        let _ = writeln!(io::stderr(), "{}", so_far.counts());
    });
    let report = report.map_err(text)?;
    write!(io::stdout(), "{report}").map_err(text)?;
    Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn bench(args: &[String]) -> Result<ExitCode, String> {
    let mut options = bench::Options::default();
    let mut args = args.iter();
    while let Some(flag) = args.next() {
        match flag.as_str() {
            "--short" => options.short = true,
            "--binary" => options.binary = Some(args.next().ok_or(USAGE)?.into()),
            _ => return Err(USAGE.into()),
        }
    }
    bench::run(&options, &mut io::stdout()).map_err(text)?;
    Ok(ExitCode::SUCCESS)
}

fn number<N: std::str::FromStr<Err: Display>>(value: &str) -> Result<N, String> {
    value.parse().map_err(|problem| format!("`{value}`: {problem}"))
}

fn text(problem: impl Display) -> String {
    problem.to_string()
}
