//! Mutates the texts of a corpus and throws them at plain functions, for a while and from a seed.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::random::Random;

/// What takes longer than this is a fault of its own.
const SLOW: Duration = Duration::from_secs(1);

/// What a function makes of a text: an error when it does not keep its promise.
pub type Verdict = Result<(), String>;

/// A function under test.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The folder of the corpus its texts come from.
    pub name: &'static str,
    /// Takes any text.
    pub run: fn(&[u8]) -> Verdict,
}

/// A text that broke a promise.
#[derive(Debug, thiserror::Error)]
#[error("{target}: {complaint}: {}", path.display())]
pub struct Found {
    target: &'static str,
    complaint: String,
    path: PathBuf,
}

/// The texts of one target, sorted by name.
pub fn corpus(folder: &Path, target: &str) -> io::Result<Vec<Vec<u8>>> {
    let mut paths = std::fs::read_dir(folder.join(target))?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    paths.into_iter().map(std::fs::read).collect()
}

/// Gives every text of the corpus to its target.
pub fn replay(folder: &Path, targets: &[Target]) -> Result<usize, String> {
    let mut count = 0;
    for target in targets {
        let texts = corpus(folder, target.name).map_err(|error| format!("{}: {error}", target.name))?;
        for (index, text) in texts.iter().enumerate() {
            judge(*target, text).map_err(|complaint| format!("{} {index}: {complaint}", target.name))?;
            count += 1;
        }
    }
    Ok(count)
}

fn judge(target: Target, text: &[u8]) -> Verdict {
    let started = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(text)));
    match outcome {
        Err(_) => Err("panicked".to_owned()),
        Ok(Err(complaint)) => Err(complaint),
        Ok(Ok(())) if started.elapsed() > SLOW => Err("took too long".to_owned()),
        Ok(Ok(())) => Ok(()),
    }
}

/// Throws mutated texts at each target in turn, so many seconds at each; `words` are pieces that mean something to them.
/// Returns how many texts were tried. A text that breaks a promise is left in the corpus's folder.
pub fn run(folder: &Path, targets: &[Target], words: &[&str], seconds: u64, seed: u64) -> Result<u64, Found> {
    let mut random = Random::seeded(seed);
    let mut tried = 0;
    for target in targets {
        let corpus = corpus(folder, target.name).unwrap_or_default();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(seconds) {
            let text = mutate(&mut random, &corpus, words);
            tried += 1;
            if let Err(complaint) = judge(*target, &text) {
                let path = folder.join(format!("found-{}-{seed}-{tried}", target.name));
                // Where it cannot be written, the seed still leads to it.
                let _ = std::fs::write(&path, &text);
                return Err(Found { target: target.name, complaint, path });
            }
        }
    }
    Ok(tried)
}

/// Runs as the arguments of this program say: `[SECONDS] [SEED]`, the seconds shared by the targets. Returns what to tell.
pub fn run_as_asked(folder: &Path, targets: &[Target], words: &[&str]) -> Result<String, Found> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap_or(10));
    let (seconds, seed) = (arguments.next().unwrap_or(10), arguments.next().unwrap_or(1));
    // What panics is told in one line, with the text that did it.
    std::panic::set_hook(Box::new(|_| {}));
    let each = seconds.div_ceil(targets.len().max(1) as u64);
    let tried = run(folder, targets, words, each, seed)?;
    Ok(format!("{tried} texts, {each} s at each of {} readers, seed {seed}, nothing found", targets.len()))
}

fn mutate(random: &mut Random, corpus: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut below = |bound: usize| usize::try_from(random.below(bound.max(1) as u64)).unwrap_or_default();
    let Some(mut text) = corpus.get(below(corpus.len())).cloned() else { return Vec::new() };
    for _ in 0..=below(6) {
        let at = below(text.len() + 1);
        let end = (at + below(40)).min(text.len());
        match below(6) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece = text[at..end].to_vec();
                text.splice(at..at, piece);
            }
            2 if !words.is_empty() => drop(text.splice(at..at, words[below(words.len())].bytes())),
            3 => {
                let other = &corpus[below(corpus.len())];
                let from = below(other.len() + 1);
                let to = (from + below(200)).min(other.len());
                text.splice(at..end, other[from..to].iter().copied());
            }
            4 if at < text.len() => text[at] ^= 1 << below(8),
            _ => text.insert(at, u8::try_from(below(256)).unwrap_or_default()),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_seven(text: &[u8]) -> Verdict {
        if text.contains(&b'7') { Err("seven".to_owned()) } else { Ok(()) }
    }

    fn no_eight(text: &[u8]) -> Verdict {
        let fine = !text.contains(&b'8');
        fine.then_some(()).ok_or_else(|| panic!("eight"))
    }

    #[test]
    fn broken_promises_and_panics_are_found_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("digits")).unwrap();
        std::fs::write(folder.path().join("digits/one"), "123456").unwrap();
        for (run, digit) in [(no_seven as fn(&[u8]) -> Verdict, b'7'), (no_eight, b'8')] {
            let targets = [Target { name: "digits", run }];
            assert_eq!(replay(folder.path(), &targets).unwrap(), 1);
            let found = super::run(folder.path(), &targets, &["7", "8"], 10, 1).unwrap_err();
            assert!(std::fs::read(found.path).unwrap().contains(&digit));
        }
    }
}
