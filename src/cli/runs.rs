//! `marscope runs`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::print_json;
use crate::error::{Error, Result};
use crate::runs::check::{Report, Severity, check};
use crate::runs::event::Scalar;
use crate::runs::export::{write_csv, write_json};
use crate::runs::files::{write_whole, write_whole_with};
use crate::runs::folder::RunHeader;
use crate::runs::list::{ListRow, list_runs};
use crate::runs::open;
use crate::runs::plot::{PlotStyle, figure};
use crate::runs::sheet::first_and_last;
use crate::runs::store::{ChangeEntry, MarkEntry, NoteEntry, RunStore};

/// Commands on recorded runs.
#[derive(Debug, clap::Subcommand)]
pub enum RunsCommand {
    /// List the runs below a folder, a row each; broken ones too.
    List {
        /// Where to search.
        #[arg(default_value = ".", value_name = "DIR")]
        folder: PathBuf,
        /// Print the rows as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Settings, last numbers, changes and marks of one run.
    Show {
        /// Folder of the run.
        #[arg(value_name = "RUN")]
        run: PathBuf,
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write the numbers of a run for other programs.
    Export {
        /// Folder of the run.
        #[arg(value_name = "RUN")]
        run: PathBuf,
        /// csv: a row a step, a column a number. json: changes, marks and groups too. png: the pictures of the first
        /// recorded group above those of the last.
        #[arg(long)]
        format: ExportFormat,
        /// File to write; standard output if left out.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Draw one number of one or more runs over the iterations, as SVG.
    Plot {
        /// Folders of runs, or foreign logs.
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<PathBuf>,
        /// The number, as `runs show` lists it.
        #[arg(long, value_name = "NAME", default_value = "reward/mean")]
        series: String,
        /// File to write.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// A logarithmic axis.
        #[arg(long)]
        log: bool,
        /// Debiased moving average with this weight of the past, 0 to below 1; the raw line stays behind it.
        #[arg(long, value_name = "WEIGHT", default_value_t = 0.0)]
        smooth: f64,
    },
    /// Read everything in runs and say what is lost or damaged; exit code 1 if something is.
    Check {
        /// Folders of runs.
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<PathBuf>,
        /// Print the findings as JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Format of an exported run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// Comma-separated values (RFC 4180).
    Csv,
    /// One JSON object.
    Json,
    /// A picture.
    Png,
}

pub fn run(command: &RunsCommand) -> Result<()> {
    match command {
        RunsCommand::List { folder, json } => {
            let rows = list_runs(folder)?;
            if *json { print_json(&rows) } else { print(&list_text(&rows, folder)) }
        }
        RunsCommand::Show { run, json } => {
            let store = open(run)?;
            if *json { print_json(&Shown::of(&store)) } else { print(&show_text(&store)) }
        }
        RunsCommand::Export { run, format, out } => export(run, *format, out.as_deref()),
        RunsCommand::Plot { runs, series, out, log, smooth } => {
            let stores = runs.iter().map(|run| open(run)).collect::<Result<Vec<RunStore>>>()?;
            let style = PlotStyle { log: *log, smooth: *smooth };
            write_whole(out, figure(&stores, series, style)?.svg().as_bytes())
        }
        RunsCommand::Check { runs, json } => check_all(runs, *json),
    }
}

/// Prints text; a reader that has seen enough (`| head`) is no error.
fn print(text: &str) -> Result<()> {
    to_stdout(&mut |out| out.write_all(text.as_bytes()))
}

fn to_stdout(write: &mut dyn FnMut(&mut BufWriter<io::StdoutLock<'_>>) -> io::Result<()>) -> Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io("write", Path::new("standard output"))(error))
        }
        _ => Ok(()),
    }
}

fn export(run: &Path, format: ExportFormat, out: Option<&Path>) -> Result<()> {
    let store = open(run)?;
    match (format, out) {
        (ExportFormat::Csv, Some(file)) => write_whole_with(file, |out| write_csv(&store, out)),
        (ExportFormat::Json, Some(file)) => write_whole_with(file, |out| write_json(&store, out)),
        (ExportFormat::Png, Some(file)) => first_and_last(&store, 1)?.2.write_png(file),
        (ExportFormat::Png, None) => Err(Error::Config("a picture needs a file: give --out FILE.png".into())),
        (ExportFormat::Csv, None) => to_stdout(&mut |out| write_csv(&store, out)),
        (ExportFormat::Json, None) => to_stdout(&mut |out| write_json(&store, out)),
    }
}

fn check_all(runs: &[PathBuf], json: bool) -> Result<()> {
    let reports: Vec<Report> = runs.iter().map(|run| check(run)).collect();
    if json {
        print_json(&reports)?;
    } else {
        print(&reports.iter().map(report_text).collect::<String>())?;
    }
    let broken = reports.iter().filter(|report| report.is_broken()).count();
    if broken == 0 {
        return Ok(());
    }
    Err(Error::Config(format!("damaged runs: {broken} of {}", reports.len())))
}

fn report_text(report: &Report) -> String {
    let Report { path, events, media, findings } = report;
    let mut text = format!("{}: {events} events, {media} pictures and maps", path.display());
    text.push_str(if findings.is_empty() { ", nothing wrong\n" } else { "\n" });
    for finding in findings {
        let severity = match finding.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Broken => "broken",
        };
        let _ = writeln!(text, "  {severity:8} {}", finding.text);
    }
    text
}

fn list_text(rows: &[ListRow], folder: &Path) -> String {
    if rows.is_empty() {
        return format!("no runs below {}\n", folder.display());
    }
    let number = |n: Option<usize>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let scalar = |v: Option<Scalar>| v.map_or_else(|| "-".to_owned(), |v| short(v.0));
    let word = |w: &Option<String>| w.clone().unwrap_or_else(|| "-".to_owned());
    let head =
        ["run", "kind", "variant", "seed", "last step", "reward", "best", "held out", "started", "", "path"];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for row in rows {
        let state = match (&row.problem, row.tail_cut) {
            (Some(_), _) => "broken",
            (None, true) => "cut",
            (None, false) => "",
        };
        table.push(vec![
            row.name.clone(),
            if row.kind.is_empty() { "-".to_owned() } else { row.kind.clone() },
            word(&row.variant),
            row.seed.map_or_else(|| "-".to_owned(), |seed| seed.to_string()),
            number(row.last_step),
            scalar(row.reward_last),
            scalar(row.reward_best),
            scalar(row.held_out_last),
            word(&row.started),
            state.to_owned(),
            row.path.display().to_string(),
        ]);
    }
    let mut text = aligned(&table, 3..8);
    for row in rows {
        if let Some(problem) = &row.problem {
            let _ = writeln!(text, "broken: {problem}");
        }
    }
    text
}

/// What `show` prints as JSON.
#[derive(Serialize)]
struct Shown<'a> {
    path: &'a Path,
    header: &'a RunHeader,
    last_step: Option<usize>,
    numbers: Vec<Numbers<'a>>,
    groups: usize,
    probes: usize,
    changes: &'a [ChangeEntry],
    marks: &'a [MarkEntry],
    notes: &'a [NoteEntry],
}

/// One series in short.
#[derive(Serialize)]
struct Numbers<'a> {
    name: &'a str,
    step: usize,
    last: Scalar,
    min: Option<f64>,
    max: Option<f64>,
    points: usize,
    not_finite: usize,
}

impl<'a> Shown<'a> {
    fn of(store: &'a RunStore) -> Self {
        Self {
            path: store.path(),
            header: store.header(),
            last_step: store.last_step(),
            numbers: numbers(store),
            groups: store.groups().len(),
            probes: store.probes().len(),
            changes: store.changes(),
            marks: store.marks(),
            notes: store.notes(),
        }
    }
}

fn numbers(store: &RunStore) -> Vec<Numbers<'_>> {
    let mut numbers = Vec::new();
    for (name, series) in store.all_series() {
        if let Some(all) = series.summary() {
            numbers.push(Numbers {
                name,
                step: all.last_step,
                last: Scalar(all.last),
                min: all.min,
                max: all.max,
                points: all.count,
                not_finite: all.nan + all.positive_infinity + all.negative_infinity,
            });
        }
    }
    numbers
}

fn show_text(store: &RunStore) -> String {
    let header = store.header();
    let mut text = format!("{}  ({})\n", store.name(), store.path().display());
    let started = header.started.as_deref().map_or_else(String::new, |moment| format!(", started {moment}"));
    let seed = header.seed.map_or_else(String::new, |seed| format!(", seed {seed}"));
    let variant =
        header.variant.as_deref().map_or_else(String::new, |variant| format!(", variant {variant}"));
    let _ = writeln!(
        text,
        "{}{variant}{seed}, on {}, marscope {}{started}",
        header.kind, header.device, header.marscope
    );
    if let Some(parent) = &header.parent {
        let _ = writeln!(text, "a branch of {} after {} steps", parent.run, parent.step);
    }
    let mut table =
        vec![["number", "step", "last", "min", "max", "points", "not finite"].map(str::to_owned).to_vec()];
    for row in numbers(store) {
        let finite = |v: Option<f64>| v.map_or_else(|| "-".to_owned(), short);
        table.push(vec![
            row.name.to_owned(),
            row.step.to_string(),
            short(row.last.0),
            finite(row.min),
            finite(row.max),
            row.points.to_string(),
            row.not_finite.to_string(),
        ]);
    }
    let _ = write!(text, "\n{}", aligned(&table, 1..7));
    let _ =
        writeln!(text, "\n{} recorded groups, {} sets of probes", store.groups().len(), store.probes().len());
    for change in store.changes() {
        let _ = writeln!(text, "step {}: {} {} -> {}", change.step, change.setting, change.from, change.to);
    }
    for mark in store.marks() {
        let _ = writeln!(text, "step {}: {:?}: {}", mark.step, mark.mark, mark.text);
    }
    for note in store.notes() {
        let _ = writeln!(text, "step {}: {}", note.step, note.text);
    }
    text.push_str("\nconfiguration\n");
    config_text(&mut text, "", &header.config);
    text
}

/// The leaves of the configuration with their paths, as the configuration file names them.
fn config_text(text: &mut String, path: &str, value: &serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            for (name, value) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                config_text(text, &path, value);
            }
        }
        value => {
            let _ = writeln!(text, "  {path} = {value}");
        }
    }
}

/// Four digits, or the exponent where those would be zeros.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e6).contains(&size) || !value.is_finite() {
        format!("{value:.4}")
    } else {
        format!("{value:.3e}")
    }
}

/// Rows in columns as wide as their widest cell, two spaces apart; those in `right` end in line.
fn aligned(table: &[Vec<String>], right: std::ops::Range<usize>) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = table.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in table {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = if right.contains(&column) {
                write!(line, "{cell:>width$}  ")
            } else {
                write!(line, "{cell:width$}  ")
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
