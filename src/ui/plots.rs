//! The plots of Live and Compare: one run with all series of a plot, or all runs with one.

use std::collections::BTreeMap;

use eframe::egui::{Rect, RichText, Role, TextEdit, Ui, WidgetInfo};

use super::action::{Action, Content, Export};
use super::compare::groups::RunGroup;
use super::compared::compared;
use super::curves::{CurveView, RewardBand, names, spec};
use super::data::run::{OpenRun, RunId};
use super::derived::Derived;
use super::layout::PlotId;
use super::means::Means;
use super::plot::{
    COLOURS, Curve, LinkedX, MarkLine, MarkStyle, Panel, PanelState, PlotAction, PlotColours, SaveAs,
    SeriesId, XAxis, panel_ui, to_csv, to_svg,
};
use super::scene::Scene;
use super::timeline::{Happening, Kind};
use super::view::Tab;
use crate::runs::series::Series;

/// Room at the right of a plot for half of a number under its axis, points.
const BESIDE: f32 = 14.0;

/// What plots are drawn of.
#[derive(Clone, Copy)]
pub struct Drawn<'a> {
    /// Runs of a comparison.
    pub groups: &'a [RunGroup],
    /// What happened in the selected run.
    pub happened: &'a [Happening],
}

/// State of all plots between frames.
#[derive(Default)]
pub struct Plots {
    /// Axes and bands made from the runs.
    pub derived: Derived,
    states: BTreeMap<(Tab, PlotId), PanelState>,
    means: Means,
    click: Option<Click>,
}

/// A click that may be the first of two, which takes back what it did.
struct Click {
    /// Where the cursor was.
    cursor: Option<usize>,
    /// When it was.
    time: f64,
}

impl Plots {
    /// Tells the shared axis what there is before any plot is drawn, so that all plots of a frame agree and none is drawn
    /// twice.
    pub fn include(
        &mut self,
        ui: &Ui,
        scene: Scene<'_>,
        tab: Tab,
        view: &mut CurveView,
        groups: &[RunGroup],
    ) {
        // Means of runs that were closed, or of plots that are hidden, are not kept.
        let frame = ui.ctx().cumulative_frame_nr();
        self.means.keep(frame);
        let ids: Vec<RunId> = match tab {
            Tab::Compare => groups.iter().flat_map(|group| group.runs.iter().copied()).collect(),
            Tab::Live | Tab::Inspect => scene.selection.run.into_iter().collect(),
        };
        for run in ids.into_iter().filter_map(|id| scene.runs.get(id)) {
            let Some(map) = self.derived.map(run.id, view.linked.axis()) else { continue };
            let ends = run
                .store
                .all_series()
                .filter_map(|(_, series)| Some([map.x(series.get(0)?), map.x(series.last()?)]));
            let all = ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
            view.linked.include(
                ui.ctx().cumulative_frame_nr(),
                all.filter(|all| all[0].is_finite() && all[1].is_finite()),
            );
        }
    }

    /// Draws `plot` of `tab` into all the room there is.
    pub fn plot_ui(
        &mut self,
        ui: &mut Ui,
        scene: Scene<'_>,
        (tab, plot): (Tab, PlotId),
        (view, drawn): (&mut CurveView, Drawn<'_>),
        out: &mut Vec<Action>,
    ) {
        if plot == PlotId::Any {
            pattern_ui(ui, scene, view);
        }
        let named = named(scene, (tab, plot), view, drawn.groups)
            .and_then(|named| if named.is_empty() { Err(why_empty(scene, tab, plot)) } else { Ok(named) });
        let named = match named {
            Ok(named) => named,
            Err(reason) => {
                ui.centered_and_justified(|ui| ui.label(RichText::new(reason).color(scene.theme.faint)));
                return;
            }
        };
        update_means(&mut self.means, ui.ctx().cumulative_frame_nr(), &named);
        let curves: Vec<Curve<'_>> =
            named.iter().filter_map(|named| self.derived.curve(named, view, &self.means)).collect();
        let run = scene.run().map(|run| run.store.path().display().to_string()).unwrap_or_default();
        let marks = marks(drawn.happened, &run, scene, tab);
        let id = format!("{} {}", tab.name(), plot.title());
        let series =
            if tab == Tab::Compare { named.first().map_or("", |named| named.series.as_str()) } else { "" };
        let title =
            if series.is_empty() { plot.title().to_owned() } else { format!("{}: {series}", plot.title()) };
        let panel = Panel {
            id: &id,
            title: &title,
            unit: spec(plot).unit,
            curves: &curves,
            marks: &marks,
            cursor: Some(scene.step()),
            smoothing: view.smoothing,
            colours: PlotColours::of(ui.visuals()),
        };
        let choices = &mut view.choices;
        let state = self
            .states
            .entry((tab, plot))
            .or_insert_with(|| PanelState::new(choices.get(&plot).cloned().unwrap_or_default()));
        let rect = ui.available_rect_before_wrap();
        // The last number under the axis is centred on its place, and reaches beyond it.
        ui.set_max_width(ui.available_width() - BESIDE);
        let actions = panel_ui(ui, &panel, state, &mut view.linked);
        let now = ui.input(|input| input.time);
        self.click.take_if(|click| now - click.time > 1.0);
        for action in actions {
            match action {
                PlotAction::CursorMoved(step) => {
                    self.click.get_or_insert(Click { cursor: scene.selection.cursor, time: now });
                    out.push(Action::Cursor(Some(step)));
                }
                PlotAction::Fitted { .. } => {
                    out.extend(self.click.take().map(|click| Action::Cursor(click.cursor)));
                }
                PlotAction::ChoiceChanged => {
                    choices.insert(plot, state.choice.clone());
                }
                PlotAction::Save(save) => out.push(saved(plot, (&panel, state), &view.linked, (save, rect))),
                PlotAction::RangeChanged => {}
            }
        }
    }
}

/// The plot as a file: everything, or what is zoomed in on.
fn saved(
    plot: PlotId,
    (panel, state): (&Panel<'_>, &PanelState),
    linked: &LinkedX,
    (save, rect): (SaveAs, Rect),
) -> Action {
    let range = (!linked.follows()).then(|| linked.range());
    let content = match save {
        SaveAs::Png => Content::Screen(rect),
        SaveAs::Svg => Content::Svg(to_svg(panel, &state.choice, linked)),
        SaveAs::Csv => Content::Csv(to_csv(panel, &state.choice, range)),
    };
    Action::Export(Box::new(Export { name: plot.title().to_lowercase().replace(' ', "-"), content }))
}

/// What a plot draws of one run, or of several runs with the same settings.
struct Named<'a> {
    run: &'a OpenRun,
    place: String,
    series: String,
    name: String,
    colour: usize,
    /// Whether its band is drawn; bands of several runs would hide one another.
    banded: bool,
    /// Whether it stands among other runs.
    compared: bool,
    /// The mean over these runs in place of the one.
    mean_of: Vec<&'a OpenRun>,
    /// The run that it branched off from, if that is open too.
    parent: Option<(&'a OpenRun, usize)>,
}

/// Live shows all series of the selected run, Compare one series of every group of runs.
fn named<'a>(
    scene: Scene<'a>,
    (tab, plot): (Tab, PlotId),
    view: &CurveView,
    groups: &[RunGroup],
) -> Result<Vec<Named<'a>>, String> {
    let mut found = Vec::new();
    if tab != Tab::Compare {
        let Some(run) = scene.run() else { return Ok(found) };
        for (colour, series) in names(&run.store, plot, &view.pattern)?.into_iter().enumerate() {
            let (name, banded) = (series.clone(), series == "reward/mean");
            found.push(Named {
                run,
                place: place_of(run),
                series,
                name,
                colour,
                banded,
                compared: false,
                mean_of: Vec::new(),
                parent: None,
            });
        }
        return Ok(found);
    }
    let Some(chosen) = compared(scene, plot, view, groups)?.0 else { return Ok(found) };
    for group in groups {
        let runs: Vec<&OpenRun> = group.runs.iter().filter_map(|id| scene.runs.get(*id)).collect();
        let runs: Vec<&OpenRun> =
            runs.into_iter().filter(|run| run.store.series(&chosen).is_some()).collect();
        let Some(run) = runs.first().copied() else { continue };
        let series = chosen.clone();
        let mean_of = if runs.len() > 1 { runs } else { Vec::new() };
        let place = if mean_of.is_empty() { place_of(run) } else { format!("mean of {}", group.name) };
        let banded = groups.len() == 1 && series == "reward/mean";
        found.push(Named {
            run,
            place,
            series,
            name: group.name.clone(),
            colour: group.colour,
            banded,
            compared: true,
            parent: scene.runs.parent(run).filter(|_| mean_of.is_empty()),
            mean_of,
        });
    }
    Ok(found)
}

fn place_of(run: &OpenRun) -> String {
    run.store.path().display().to_string()
}

impl Derived {
    /// `None` if the run does not tell where its points lie on the axis.
    fn curve<'a>(&'a self, named: &'a Named<'a>, view: &CurveView, means: &'a Means) -> Option<Curve<'a>> {
        let store = &named.run.store;
        let x = self.map(named.run.id, view.linked.axis())?;
        let clock = store.series("time/iteration");
        let (id, colour) = (SeriesId::of(&named.place, &named.series), named.colour);
        if !named.mean_of.is_empty() {
            let mean = means.get(id)?;
            let band = Some([&mean.low, &mean.high]);
            return Some(Curve {
                id,
                colour,
                band,
                x,
                clock,
                ..Curve::new(&named.place, &named.name, &mean.mean)
            });
        }
        let band = match view.band {
            RewardBand::MinMax => {
                store.series("reward/min").zip(store.series("reward/max")).map(<[_; 2]>::from)
            }
            RewardBand::Std => self.std_band(named.run.id),
            RewardBand::None => None,
        };
        let band = band.filter(|_| named.banded);
        let series = store.series(&named.series)?;
        // A branch is told from its parent, and the ninth run from the first, which has its colour.
        let dashed = named.compared && (store.header().parent.is_some() || colour >= COLOURS);
        let branches_from = branches_from(named, view.linked.axis(), series);
        Some(Curve {
            id,
            colour,
            band,
            x,
            clock,
            branches_from,
            dashed,
            ..Curve::new(&named.place, &named.name, series)
        })
    }
}

/// The last point of the parent before the branch. Only iterations go on from a parent to its branch: time begins anew.
fn branches_from(named: &Named<'_>, axis: XAxis, series: &Series) -> Option<[f64; 2]> {
    let (parent, step) = named.parent.filter(|_| axis == XAxis::Iteration)?;
    let last = parent.store.series(&named.series)?.at(step.checked_sub(1)?)?;
    series.get(0).filter(|first| first.step > last.step).map(|_| [last.step as f64, last.value])
}

/// Makes the means that `named` need in this `frame`.
fn update_means(means: &mut Means, frame: u64, named: &[Named<'_>]) {
    for named in named.iter().filter(|named| !named.mean_of.is_empty()) {
        let series: Vec<&Series> =
            named.mean_of.iter().filter_map(|run| run.store.series(&named.series)).collect();
        means.update(SeriesId::of(&named.place, &named.series), frame, &series);
    }
}

/// Changes, forks and alerts as lines with their text; the others would fill the plot and stay on the timeline.
fn marks<'a>(happened: &'a [Happening], run: &'a str, scene: Scene<'_>, tab: Tab) -> Vec<MarkLine<'a>> {
    let labelled = |kind: Kind| matches!(kind, Kind::Change | Kind::Branch | Kind::Resume);
    happened
        .iter()
        .filter(|h| labelled(h.kind) || (h.kind == Kind::Alert && tab == Tab::Live))
        .map(|h| MarkLine {
            step: h.step,
            run,
            label: match h.kind {
                Kind::Change => &h.text,
                Kind::Branch => "branch",
                Kind::Resume => "resumed",
                _ => "alert",
            },
            style: MarkStyle { colour: h.kind.colour(scene.theme), dashed: h.kind == Kind::Change },
        })
        .collect()
}

fn pattern_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut CurveView) {
    let field = TextEdit::singleline(&mut view.pattern).hint_text("regular expression, such as kl|loss");
    let response = ui.add(field.desired_width(f32::INFINITY));
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Series pattern"));
    let all = scene.run().map(|run| run.store.names().collect::<Vec<_>>().join("\n")).unwrap_or_default();
    response.on_hover_text(format!("Which series are drawn, 24 at most. This run has\n{all}"));
}

fn why_empty(scene: Scene<'_>, tab: Tab, plot: PlotId) -> String {
    match scene.run() {
        None => "Press Start, or open a run: its curves appear here.".to_owned(),
        Some(_) if tab == Tab::Compare => {
            format!(
                "{} was not recorded by a run that is drawn; runs are checked in the table.",
                plot.title()
            )
        }
        Some(_) => format!("{} was not recorded at any iteration so far.", plot.title()),
    }
}
