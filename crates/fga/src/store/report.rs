//! What came of the tests. A question counts as passed or as a failure, never as neither.

/// What came of a store file's tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Each test, in the order written.
    pub tests: Vec<TestReport>,
}

/// What came of one test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestReport {
    /// Its name, or its number if it has none.
    pub name: String,
    /// Checks.
    pub checks: Count,
    /// Lists of objects.
    pub list_objects: Count,
    /// Lists of users.
    pub list_users: Count,
    /// Each question whose answer was not the expected one.
    pub failures: Vec<Failure>,
}

/// How many of how many passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Those with the expected answer.
    pub passed: usize,
    /// All of them.
    pub total: usize,
}

/// A question that was not answered as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The question.
    pub question: String,
    /// The answer expected.
    pub expected: String,
    /// The answer given, or `error: …` if there was none.
    pub got: String,
}

impl Report {
    /// How many questions of all tests passed.
    pub fn count(&self) -> Count {
        self.tests.iter().map(TestReport::count).fold(Count::default(), Count::plus)
    }

    /// Whether every question passed.
    pub fn passed(&self) -> bool {
        self.tests.iter().all(|test| test.failures.is_empty())
    }
}

impl TestReport {
    /// How many of its questions passed.
    pub fn count(&self) -> Count {
        self.checks.plus(self.list_objects).plus(self.list_users)
    }
}

impl Count {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, total: self.total + other.total }
    }

    /// How many did not pass.
    pub fn failed(self) -> usize {
        self.total - self.passed
    }
}
