//! Tables: columns as wide as their widest cell, two blanks apart, nothing after the last.

use comfy_table::{ContentArrangement, Table, presets};

use crate::escape;

/// Rows below a header, every cell made safe.
pub fn render(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().copied());
    for row in rows {
        table.add_row(row.iter().map(|cell| escape::cell(cell).into_owned()));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let text = table.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn a_table_reads_like_the_contracts_example() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = [
            row(["github", "platform", "stdio", "git, vcs"]),
            row(["internal-api", "organization/my-org", "http", "internal"]),
            row(["local-dev", "identity_account", "docker", ""]),
        ];
        insta::assert_snapshot!(render(&["NAME", "SCOPE", "TYPE", "TAGS"], &rows), @r"
        NAME          SCOPE                TYPE    TAGS
        github        platform             stdio   git, vcs
        internal-api  organization/my-org  http    internal
        local-dev     identity_account     docker
        ");
    }

    #[test]
    fn a_cell_stays_one_line_and_cannot_steer_the_terminal() {
        let rows =
            [vec!["a\n\u{1b}[2Jb".to_owned(), "x\ty".to_owned()], vec!["日本".to_owned(), "z".to_owned()]];
        insta::assert_snapshot!(render(&["NAME", "TAGS"], &rows), @r"
        NAME           TAGS
        a\n\u{1b}[2Jb  x\ty
        日本           z
        ");
    }
}
