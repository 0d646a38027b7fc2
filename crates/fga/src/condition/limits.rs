//! What an expression and a context may ask for, since CEL itself sets no limit; each bound holds before any
//! work is done.

/// How long an expression may be, in bytes.
pub const EXPRESSION_BYTES: usize = 4 * 1024;

/// How deep an expression's tree may nest, macros expanded.
pub const EXPRESSION_DEPTH: usize = 32;

/// How many nodes an expression's tree may have, macros expanded.
pub const EXPRESSION_NODES: usize = 512;

/// How deep `all`, `exists`, `exists_one`, `map` and `filter` may stand within each other.
pub const COMPREHENSION_DEPTH: usize = 2;

/// How many elements a list or map of a context may have.
pub const CONTEXT_ELEMENTS: usize = 1_000;

/// How long a text of a context may be, in bytes.
pub const CONTEXT_STRING_BYTES: usize = 16 * 1024;

/// How much text the parameters of one evaluation may hold together, in bytes.
pub const CONTEXT_BYTES: usize = 64 * 1024;

/// How deep lists and maps of a context may nest.
pub const CONTEXT_DEPTH: usize = 16;

/// How many steps an evaluation may take at worst, a step being a node visited or sixteen bytes touched.
pub const EVALUATION_STEPS: u64 = 2_000_000;

/// How heavy a pattern of `matches` may be, about one for each state of its automaton.
pub const PATTERN_WEIGHT: u64 = 1_000;

/// How much matching one call of `matches` may do: the pattern's weight times the text's bytes.
pub const MATCH_WORK: u64 = 4_000_000;

/// How many operators and brackets may be open at once in an expression's text, before it is parsed.
pub const TEXT_DEPTH: usize = 128;
