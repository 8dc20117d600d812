//! The report as one page: no scripts, nothing from elsewhere, fit for dark, light and paper.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::ablation::Ablation;
use super::base64::base64;
use super::cell::Cell;
use super::figure::{dark_rules, escape};
use super::format::{duration, number};
use super::measure::{Better, Measure};
use super::panels::{capitalised, panels};
use super::remarks::remarks;
use super::settings::differing;
use super::stats::MOST_FLIPPED;
use super::{About, PictureStrip, table};

const STYLE: &str = include_str!("page.css");

/// What a PNG begins with.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The page.
#[must_use]
pub fn page(ablation: &Ablation, about: &About, pictures: &[PictureStrip]) -> String {
    let title = escape(&about.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
         <style>\n{STYLE}{}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        dark_rules()
    );
    page += &what_was_run(ablation, about);
    page += &warnings(ablation, about);
    page += "<h2>Results, all prompts</h2>\n";
    let _ = writeln!(page, "<p>{}</p>", escape(&reading(ablation)));
    page += &table::tables(ablation, None);
    page += &figures(ablation);
    page += &strips(pictures);
    if ablation.prompts().len() > 1 {
        page += "<h2>Results by prompt</h2>\n";
        for prompt in ablation.prompts() {
            let _ = writeln!(page, "<h3>\u{201c}{}\u{201d}</h3>", escape(prompt));
            page += &table::tables(ablation, Some(prompt));
        }
    }
    page += &not_finished(ablation);
    page += &definitions(ablation);
    page + "</body>\n</html>\n"
}

fn what_was_run(ablation: &Ablation, about: &About) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (variants, prompts, seeds) = (ablation.variants(), ablation.prompts(), ablation.seeds());
    let lengths: BTreeSet<usize> =
        ablation.cells.iter().filter(|cell| cell.finished()).map(|cell| cell.recorded.iterations).collect();
    let lengths: Vec<String> = lengths.iter().map(ToString::to_string).collect();
    let seeds: Vec<String> = seeds.iter().map(ToString::to_string).collect();
    let prompts: Vec<String> = prompts.iter().map(|prompt| format!("\u{201c}{prompt}\u{201d}")).collect();
    let finished = ablation.cells.iter().filter(|cell| cell.finished()).count();
    let time = about.total_seconds.map_or_else(|| "unknown".to_owned(), duration);
    let known = |text: &str| if text.is_empty() { "unknown".to_owned() } else { text.to_owned() };
    let rows = [
        (count(variants.len(), "variant"), variants.join(", ")),
        (count(prompts.len(), "prompt"), prompts.join(", ")),
        (count(seeds.len(), "seed"), seeds.join(", ")),
        ("Iterations a run".into(), known(&lengths.join(", "))),
        ("Runs".into(), format!("{}, {finished} finished", ablation.cells.len())),
        ("Device".into(), known(&about.device)),
        ("Version".into(), known(&about.version)),
        ("Total time".into(), time),
        ("Written".into(), known(&about.written)),
    ];
    let mut page = "<h2>What was run</h2>\n<table><tbody>\n".to_owned();
    for (name, value) in rows {
        let name = escape(&capitalised(&name));
        let _ = writeln!(page, "<tr><th scope=\"row\">{name}</th><td>{}</td></tr>", escape(&value));
    }
    page += "</tbody></table>\n";
    page + &table::settings(&differing(ablation))
}

fn warnings(ablation: &Ablation, about: &About) -> String {
    let all: Vec<String> = remarks(ablation).into_iter().chain(about.notes.iter().cloned()).collect();
    if all.is_empty() {
        return String::new();
    }
    let items: Vec<String> = all.iter().map(|remark| format!("<li>{}</li>\n", escape(remark))).collect();
    let items = items.concat();
    format!("<div class=\"remarks\"><strong>Before you read on</strong>\n<ul>\n{items}</ul></div>\n")
}

fn reading(ablation: &Ablation) -> String {
    format!(
        "Mean [95 % interval] over the finished runs; below it, as \u{394}, the paired difference to {} [95 % interval]; then the \
         number of runs n, of pairs, and the p-value of the sign-flip test for \u{394}. * marks an interval that excludes 0, not corrected for the number of \
         comparisons. How each number is defined is said at the end.",
        ablation.baseline
    )
}

fn figures(ablation: &Ablation) -> String {
    let mut page = "<h2>Figures</h2>\n<div class=\"figures\">\n".to_owned();
    for panel in panels(ablation) {
        let _ = writeln!(
            page,
            "<figure>\n{}<figcaption>{}</figcaption></figure>",
            panel.chart.inline_svg(),
            escape(&panel.caption)
        );
    }
    page += "</div>\n<p class=\"faint\">A cross at the edge of a figure marks NaN, a triangle infinity or, on a logarithmic \
             axis, a value that is not above 0; the legend counts them.</p>\n";
    page
}

fn strips(pictures: &[PictureStrip]) -> String {
    if pictures.is_empty() {
        return String::new();
    }
    let mut page = "<h2>Pictures</h2>\n".to_owned();
    for strip in pictures {
        let title = escape(&strip.title);
        let _ = write!(page, "<h3>{title}</h3>\n<div class=\"strip\">");
        for (i, bytes) in strip.png_bytes.iter().enumerate() {
            if bytes.starts_with(PNG) {
                let _ = write!(
                    page,
                    "<img src=\"data:image/png;base64,{}\" alt=\"{title}, picture {}\"/>",
                    base64(bytes),
                    i + 1
                );
            } else {
                let _ = write!(page, "<span class=\"faint\">picture {} is no PNG</span>", i + 1);
            }
        }
        page += "</div>\n";
    }
    page
}

fn not_finished(ablation: &Ablation) -> String {
    let lost: Vec<&Cell> = ablation.cells.iter().filter(|cell| !cell.finished()).collect();
    let mut page = "<h2>Runs that failed or did not finish</h2>\n".to_owned();
    if lost.is_empty() {
        return page + "<p>None.</p>\n";
    }
    page += "<p>Their numbers enter no mean. Where figures have lines of them, they are thin.</p>\n\
             <div class=\"wide\"><table><thead><tr><th scope=\"col\">variant</th><th scope=\"col\">prompt</th>\
             <th scope=\"col\">seed</th><th scope=\"col\">outcome</th><th scope=\"col\">reason</th>\
             <th scope=\"col\">last evaluation reward</th><th scope=\"col\">folder</th></tr></thead>\n<tbody>\n";
    for cell in lost {
        let last = cell.recorded.curves.get("evaluation/reward").last();
        let last = last.map_or_else(
            || "not recorded".to_owned(),
            |(step, reward)| format!("{} at step {step}", number(*reward)),
        );
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{last}</td><td><code>{}</code></td>\
             </tr>",
            escape(&cell.variant),
            escape(&cell.prompt),
            cell.seed,
            cell.outcome.word(),
            escape(&cell.outcome.reason()),
            escape(&cell.folder.display().to_string())
        );
    }
    page + "</tbody></table></div>\n"
}

fn definitions(ablation: &Ablation) -> String {
    let mut page = "<h2>How the numbers are defined</h2>\n".to_owned();
    for paragraph in statistics(ablation) {
        let _ = writeln!(page, "<p>{}</p>", escape(&paragraph));
    }
    page += "<dl>\n";
    for measure in Measure::ALL {
        let better = match measure.better() {
            Better::Higher => " More is better.",
            Better::Lower => " Less is better.",
            Better::Neither => "",
        };
        let _ = writeln!(
            page,
            "<dt>{} <span class=\"faint\"><code>{}</code></span></dt><dd>{}{better}</dd>",
            escape(&capitalised(measure.name())),
            measure.key(),
            escape(measure.definition())
        );
    }
    page + "</dl>\n"
}

/// How means, intervals and p-values are computed, and what they do not say.
fn statistics(ablation: &Ablation) -> [String; 4] {
    let compared = ablation.variants().into_iter().filter(|variant| *variant != ablation.baseline).count();
    let threshold = number(0.05 / compared.max(1) as f64);
    [
        "Interval of a mean: m \u{b1} t \u{b7} s / \u{221a}n, with the mean m and the deviation s (with n \u{2212} 1) of one number a run over n \
         finished runs, and t the quantile 0.975 of Student's t with n \u{2212} 1 degrees of freedom. Of one run there is none. Runs \
         of all prompts count alike: the interval takes in how prompts differ, and runs of one prompt are not independent of \
         one another, so it does not say how other prompts would do. The tables by prompt are over seeds only."
            .into(),
        format!(
            "Paired difference: d[i] = the run's number less that of the run of {} with the same prompt and seed, over all \
             prompts and seeds of which both finished with a finite number; mean and interval as above, of d. It is the \
             comparison to look at: what prompt and seed do to both runs cancels.",
            ablation.baseline
        ),
        format!(
            "p-value: two-sided sign-flip test, exact, for up to {MOST_FLIPPED} pairs. Of all 2\u{207f} assignments of signs to d, \
             the share whose mean is at least as far from 0 as the observed one. Of n pairs it is never under 2 / 2\u{207f}, so \
             fewer than 6 pairs cannot give p < 0.05. p-values are not corrected: with {compared} variants compared, one \
             measure chosen beforehand calls for p < {threshold} (Bonferroni), and a look at all measures for less."
        ),
        "Not finite: a NaN or infinite value is never replaced. Statistics over the iterations of a run leave it out, and the \
         count is given beside the runs; a measure that is itself not finite is left out of the mean, and counted there. \
        "
            .into(),
    ]
}
