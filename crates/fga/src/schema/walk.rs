//! Visits every part of a rewrite, operators before their operands.

use super::Rewrite;

impl Rewrite {
    /// The operands of an operator, in the order written; none for the rest.
    pub(super) fn operands(&self) -> Vec<&Rewrite> {
        match self {
            Self::This | Self::Computed(_) | Self::TupleToUserset { .. } => Vec::new(),
            Self::Union(operands) | Self::Intersection(operands) => operands.iter().collect(),
            Self::Exclusion { base, subtract } => vec![base, subtract],
        }
    }

    /// This rewrite and all below it.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Rewrite> {
        let mut waiting = vec![self];
        std::iter::from_fn(move || {
            let next = waiting.pop()?;
            waiting.extend(next.operands().into_iter().rev());
            Some(next)
        })
    }

    /// How often the brackets stand in it.
    pub(super) fn count_this(&self) -> usize {
        self.parts().filter(|part| matches!(part, Self::This)).count()
    }
}
