//! The panels of the tabs: which function draws which, and what they keep between frames.

use std::sync::Arc;

use eframe::egui::{self, Popup, RichText, Ui, WidgetText};
use egui_tiles::{Behavior, SimplificationOptions, TileId, Tiles, UiResponse};

use super::action::{Action, Content, Export};
use super::app::App;
use super::compare::ab::ab_ui;
use super::compare::ablating::Ablating;
use super::compare::ablation::{AblationInput, ablation_ui};
use super::compare::ablation_form::FormInput;
use super::compare::ablation_plan::{AblationBase, AblationForm};
use super::compare::found::found_ui;
use super::compare::groups::RunGroup;
use super::compare::pictures::{PicturesInput, pictures_ui};
use super::compare::table::{groups, table_ui};
use super::compared::compared_ui;
use super::curve_bar::curve_bar_ui;
use super::curves::CurveView;
use super::data::group::{LoadedGroup, group_at};
use super::data::media::Loaded;
use super::data::run::RunId;
use super::devices::Devices;
use super::export::{CompareShown, Format, Job, Shown as Saveable, export, formats};
use super::found::Found;
use super::icons::{Icon, icon_button};
use super::inspect::{InspectView, Inspected, histogram_ui, list_ui, picture_panel_ui, token_ui, what_if_ui};
use super::layout::{Pane, Panels, default_panels};
use super::live::{group_ui, health_ui, noise_ui, overlay_bar_ui, probes_ui};
use super::picture::plane_of;
use super::plot::series_colour;
use super::plots::{Drawn, Plots};
use super::ranges::{Ranges, range};
use super::saved::{CompareView, Saved};
use super::scene::Scene;
use super::side::Shown;
use super::theme::Theme;
use super::timeline::Happening;
use super::view::{OverlayView, Tab};
use super::work::{BUSY, Work};
use crate::runs::list::ListRow;

/// What panels keep between frames.
#[derive(Default)]
pub struct Locals {
    /// Plots.
    pub plots: Plots,
    /// What the colours of layers range over.
    pub ranges: Ranges,
    /// Which settings the side shows.
    pub side: Shown,
    /// Prompts of the next run while they are typed.
    pub prompts: Option<String>,
    /// Iterations in all to which the selected run would be resumed.
    pub resume: Option<usize>,
    /// Devices of this machine.
    pub devices: Devices,
    /// The group that Live and Inspect show.
    pub group: Option<Arc<LoadedGroup>>,
    /// Panels as they were before the change under way.
    pub edited: Option<(Tab, Panels)>,
    /// Runs below the runs folder.
    pub found: Found,
}

impl App {
    /// Draws the panels of the tab.
    pub(super) fn panels_ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<Action>) {
        self.locals.plots.derived.update(&self.runs);
        let tab = self.tab;
        let mut panels = self.saved.panels.remove(&tab).unwrap_or_else(|| default_panels(tab));
        let before = panels.clone();
        let Locals { plots, ranges, group, found, .. } = &mut self.locals;
        let scene = Scene {
            runs: &self.runs,
            media: &self.media,
            selection: &self.selection,
            theme,
            ranges,
            renderer: self.renderer.as_ref(),
            training: self.work.active().and_then(|training| training.run),
        };
        let Saved { overlay, curves, inspect, compare, .. } = &mut self.saved;
        let groups = groups(&mut compare.table, &self.runs);
        plots.include(ui, scene, tab, curves, &groups);
        if tab != Tab::Inspect {
            let frame = egui::Frame::NONE.inner_margin(egui::Margin::symmetric(6, 3));
            frame.show(ui, |ui| curve_bar_ui(ui, scene, curves));
        }
        let (work, found) = (&self.work, found.rows());
        let mut desk = Desk {
            tab,
            scene,
            overlay,
            curves,
            inspect,
            compare,
            groups,
            plots,
            group,
            work,
            found: &found,
            happened: self.timeline.happenings(),
            out,
            edited: false,
            wanted: None,
        };
        panels.ui(&mut desk, ui);
        let saved = desk.save();
        if desk.edited && self.locals.edited.is_none() {
            self.locals.edited = Some((tab, before));
        }
        self.saved.panels.insert(tab, panels);
        if let Some((name, job)) = saved
            && let Err(error) = self.exporting.ask(&self.ctx, name, job)
        {
            self.messages.problem(error.to_string());
        }
        self.note_edit(ui.input(|input| input.pointer.any_down()));
        let CompareView { pictures, ab, .. } = &self.saved.compare;
        let held = self.locals.group.as_deref().into_iter().chain(pictures.held()).chain(ab.held());
        held.for_each(|group| self.locals.ranges.see(group));
    }
}

impl App {
    /// A change of the panels is one step of undo, however many frames it was dragged for.
    fn note_edit(&mut self, dragging: bool) {
        if dragging {
            return;
        }
        if let Some((tab, before)) = self.locals.edited.take()
            && self.saved.panels.get(&tab) != Some(&before)
        {
            self.history.changed(tab, before);
            self.keep();
        }
    }
}

/// Draws the panes of a tab.
struct Desk<'a> {
    tab: Tab,
    scene: Scene<'a>,
    overlay: &'a mut OverlayView,
    curves: &'a mut CurveView,
    inspect: &'a mut InspectView,
    compare: &'a mut CompareView,
    groups: Vec<RunGroup>,
    work: &'a Work,
    found: &'a [ListRow],
    happened: &'a [Happening],
    plots: &'a mut Plots,
    group: &'a mut Option<Arc<LoadedGroup>>,
    out: &'a mut Vec<Action>,
    edited: bool,
    /// A panel that is to be saved.
    wanted: Option<(Pane, Format)>,
}

/// Name of a file of `pane`, without its ending.
fn file_name(pane: Pane) -> String {
    pane.title().to_lowercase().replace([' ', '/'], "-")
}

/// The runs of `groups`, from above.
fn drawn(groups: &[RunGroup]) -> Vec<RunId> {
    groups.iter().flat_map(|group| group.runs.iter().copied()).collect()
}

impl Desk<'_> {
    /// The panel that is to be saved, as a file that is still to be made, and its name.
    fn save(&mut self) -> Option<(String, Job)> {
        let (pane, format) = self.wanted.take()?;
        let ablating = self.work.ablating.as_ref();
        let (progress, result) = (ablating.and_then(Ablating::progress), ablating.and_then(Ablating::result));
        let drawn = drawn(&self.groups);
        let compare = CompareShown {
            drawn: &drawn,
            pictures: &self.compare.pictures,
            ab: &self.compare.ab,
            progress: progress.as_deref(),
            result: result.as_deref(),
        };
        let what = Saveable {
            scene: self.scene,
            overlay: self.overlay,
            group: self.group.as_ref(),
            inspect: self.inspect,
            runs: &self.compare.table,
            compare,
        };
        match export(pane, format, &what) {
            Ok(job) => Some((file_name(pane), job)),
            Err(reason) => {
                self.out.push(Action::Complain(reason));
                None
            }
        }
    }

    fn compare_ui(&mut self, ui: &mut Ui, pane: Pane) {
        let dark = self.scene.theme.dark;
        let colour = move |slot: usize| series_colour(slot, dark);
        let CompareView { table, pictures, ab, ablation } = &mut *self.compare;
        let drawn = drawn(&self.groups);
        match pane {
            Pane::Pictures => {
                let input = PicturesInput { groups: &self.groups, overlay: self.overlay, colour: &colour };
                pictures_ui(ui, self.scene, pictures, input, ab, self.out);
            }
            Pane::Ab => ab_ui(ui, self.scene, ab, self.overlay, &drawn),
            Pane::Ablation => ablation_pane_ui(ui, self.scene, ablation, self.work, self.out),
            _ => {
                table_ui(ui, self.scene, table, &colour, self.out);
                if !self.found.is_empty() {
                    egui::CollapsingHeader::new("Runs found in the runs folder")
                        .show(ui, |ui| found_ui(ui, self.scene, self.found, self.out));
                }
            }
        }
    }

    fn inspect_ui(&mut self, ui: &mut Ui, pane: Pane) {
        let Some(group) = self.inspected(ui) else { return };
        if pane == Pane::Picture {
            let at = (self.scene.selection.picture, plane_of(&group, self.scene.selection.ar_step));
            let summary = self.scene.ranges.summary(&group, at, self.overlay);
            let ends = summary.map(|s| range(s, self.overlay)).map(|range| (range.low, range.high));
            // Inspect has its own choice of the grid, which is there at first.
            let mut bar = OverlayView { grid: !self.inspect.hide_grid, ..self.overlay.clone() };
            overlay_bar_ui(ui, self.scene.theme, &mut bar, Some(&group), ends);
            self.inspect.hide_grid = !bar.grid;
            *self.overlay = OverlayView { grid: self.overlay.grid, ..bar };
        }
        let dark = self.scene.theme.dark;
        let colour = move |slot: usize| series_colour(slot, dark);
        let input = Inspected { scene: self.scene, group: &group, overlay: self.overlay, colour: &colour };
        let did = match pane {
            Pane::Token => token_ui(ui, input, self.inspect),
            Pane::Tokens => list_ui(ui, input, self.inspect),
            Pane::Histogram => histogram_ui(ui, input, self.inspect),
            Pane::WhatIf => what_if_ui(ui, input, self.inspect),
            _ => picture_panel_ui(ui, input, self.inspect),
        };
        self.out.extend(did);
    }

    /// The group at the cursor; while it is read the one before, and a sentence where there is none.
    fn inspected(&mut self, ui: &mut Ui) -> Option<Arc<LoadedGroup>> {
        let theme = self.scene.theme;
        let Some(run) = self.scene.run() else {
            ui.label(
                RichText::new("Open a run, or press Start: the tokens of its pictures are shown here.")
                    .color(theme.faint),
            );
            return None;
        };
        let wanted = (self.scene.step(), self.scene.selection.group);
        match group_at(run, self.scene.media, wanted, self.group.as_ref()) {
            Some(Loaded::Ready(group)) => *self.group = Some(group),
            Some(Loaded::Waiting) => {}
            Some(Loaded::Failed(reason)) => {
                ui.label(RichText::new(&*reason).color(theme.bad));
            }
            None => {
                ui.label(RichText::new("No group was recorded up to this iteration.").color(theme.faint));
                return None;
            }
        }
        self.group.clone().filter(|group| group.run == run.id)
    }
}

fn ablation_pane_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    form: &mut AblationForm,
    work: &Work,
    out: &mut Vec<Action>,
) {
    let ablating = work.ablating.as_ref();
    let progress = ablating
        .filter(|ablating| !ablating.is_over())
        .map(|ablating| ablating.progress().unwrap_or_default());
    let result = ablating.and_then(Ablating::result);
    let seconds = scene.run().and_then(|run| run.store.series("time/iteration")?.last());
    let base = AblationBase { config: &work.draft, model: work.model.as_deref(), device: work.device };
    let busy = work.is_busy().then_some(BUSY);
    let form_input = FormInput { base, iteration_seconds: seconds.map(|point| point.value), busy };
    let input = AblationInput {
        form: form_input,
        progress: progress.as_deref(),
        stopping: ablating.is_some_and(Ablating::is_stopping),
        result: result.as_deref(),
    };
    ablation_ui(ui, scene, form, input, out);
}

impl Behavior<Pane> for Desk<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _tile: TileId, pane: &mut Pane) -> UiResponse {
        egui::Frame::NONE.inner_margin(egui::Margin::same(6)).show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            match *pane {
                Pane::Plot(plot) => {
                    let drawn = Drawn { groups: &self.groups, happened: self.happened };
                    self.plots.plot_ui(ui, self.scene, (self.tab, plot), (self.curves, drawn), self.out);
                }
                Pane::Group => group_ui(ui, self.scene, self.overlay, self.group, self.out),
                Pane::Probes => probes_ui(ui, self.scene, self.out),
                Pane::Health => health_ui(ui, self.scene, self.out),
                Pane::Noise => noise_ui(ui, self.scene, self.out),
                Pane::Table | Pane::Pictures | Pane::Ab | Pane::Ablation => self.compare_ui(ui, *pane),
                Pane::Picture | Pane::Token | Pane::Tokens | Pane::Histogram | Pane::WhatIf => {
                    self.inspect_ui(ui, *pane);
                }
            }
        });
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        pane.title().into()
    }

    fn top_bar_right_ui(
        &mut self,
        tiles: &Tiles<Pane>,
        ui: &mut Ui,
        _tile: TileId,
        tabs: &egui_tiles::Tabs,
        _scroll: &mut f32,
    ) {
        let active = tabs.active.and_then(|id| Some((tiles.get_pane(&id)?, tiles.rect(id)?)));
        let Some((pane, rect)) = active else { return };
        let save = icon_button(ui, Icon::Save, &format!("Save {}", pane.title()));
        let pane = *pane;
        Popup::menu(&save).show(|ui| {
            let seen = ui.button("PNG as seen…").on_hover_text("What the window shows of this panel.");
            if seen.clicked() {
                let content = Content::Screen(rect);
                self.out.push(Action::Export(Box::new(Export { name: file_name(pane), content })));
                // A screen reader's click does not close it.
                ui.close();
            }
            for format in formats(pane) {
                if ui.button(format!("{}…", format.name())).on_hover_text(format.meaning()).clicked() {
                    self.wanted = Some((pane, *format));
                    ui.close();
                }
            }
        });
        if let (Pane::Plot(plot), Tab::Compare) = (pane, self.tab) {
            compared_ui(ui, self.scene, plot, self.curves, &self.groups);
        }
    }

    fn on_edit(&mut self, edit: egui_tiles::EditAction) {
        self.edited |= !matches!(edit, egui_tiles::EditAction::TabSelected);
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..Default::default() }
    }

    fn tab_bar_color(&self, _visuals: &egui::Visuals) -> egui::Color32 {
        self.scene.theme.background
    }

    fn tab_bg_color(
        &self,
        _: &egui::Visuals,
        _: &Tiles<Pane>,
        _: TileId,
        state: &egui_tiles::TabState,
    ) -> egui::Color32 {
        if state.active { self.scene.theme.panel } else { self.scene.theme.background }
    }
}
