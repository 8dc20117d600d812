//! What is kept between two starts, checked when it is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::compare::ab::AbView;
use super::compare::ablation_plan::AblationForm;
use super::compare::pictures::PicturesView;
use super::compare::table::TableView;
use super::curves::CurveView;
use super::inspect::InspectView;
use super::layout::{Panels, default_panels, is_sound};
use super::theme::ThemeChoice;
use super::view::{OverlayView, Tab};
use crate::runs::files::{create_folder, write_json};

/// What was chosen in the tab Compare.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareView {
    /// Table of runs.
    pub table: TableView,
    /// Pictures of several runs.
    pub pictures: PicturesView,
    /// Two pictures against each other.
    pub ab: AbView,
    /// Form of an ablation.
    pub ablation: AblationForm,
}

impl CompareView {
    fn validate(&mut self) {
        self.pictures.validate();
        self.ab.validate();
    }
}

/// What is kept.
#[derive(Serialize)]
pub struct Saved {
    /// Light or dark.
    pub theme: ThemeChoice,
    /// Size of text and controls; 1 is usual.
    pub zoom: f32,
    /// Token maps over pictures.
    pub overlay: OverlayView,
    /// Plots.
    pub curves: CurveView,
    /// The tab Inspect.
    pub inspect: InspectView,
    /// The tab Compare.
    pub compare: CompareView,
    /// Panels of each tab.
    pub panels: BTreeMap<Tab, Panels>,
}

impl Default for Saved {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            zoom: 1.0,
            overlay: OverlayView::default(),
            curves: CurveView::default(),
            inspect: InspectView::default(),
            compare: CompareView::default(),
            panels: Tab::ALL.into_iter().map(|tab| (tab, default_panels(tab))).collect(),
        }
    }
}

impl Saved {
    /// Reads `file`. What is not sound is replaced by its default, and the second value says what was.
    #[must_use]
    pub fn read(file: &Path) -> (Self, Vec<String>) {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return (Self::default(), Vec::new());
            }
            Err(error) => {
                let text = format!(
                    "the saved layout {} cannot be read ({error}); panels are as at first",
                    file.display()
                );
                return (Self::default(), vec![text]);
            }
        };
        let fields = match serde_json::from_str::<serde_json::Map<String, Value>>(&text) {
            Ok(fields) => fields,
            Err(error) => {
                let aside = file.with_extension("damaged.json");
                // If it cannot be kept it is still damaged.
                drop(std::fs::rename(file, &aside));
                let text = format!(
                    "the saved layout {} is damaged ({error}) and was kept as {}; panels are as at first",
                    file.display(),
                    aside.display()
                );
                return (Self::default(), vec![text]);
            }
        };
        let mut saved = Self::default();
        let mut problems = Vec::new();
        for (name, value) in fields {
            if let Err(error) = saved.take(&name, value) {
                problems.push(format!(
                    "{name} in {} cannot be read ({error}) and is as at first",
                    file.display()
                ));
            }
        }
        problems.extend(saved.validate());
        (saved, problems)
    }

    /// Takes over one field. One that cannot be read, as of another version, does not spoil the others.
    fn take(&mut self, name: &str, value: Value) -> Result<(), serde_json::Error> {
        match name {
            "theme" => self.theme = serde_json::from_value(value)?,
            "zoom" => self.zoom = serde_json::from_value(value)?,
            "overlay" => self.overlay = serde_json::from_value(value)?,
            "curves" => self.curves = serde_json::from_value(value)?,
            "inspect" => self.inspect = serde_json::from_value(value)?,
            "compare" => self.compare = serde_json::from_value(value)?,
            "panels" => self.panels = serde_json::from_value(value)?,
            // Of a later version.
            _ => {}
        }
        Ok(())
    }

    fn validate(&mut self) -> Vec<String> {
        let mut problems = Vec::new();
        if !(0.3..=4.0).contains(&self.zoom) {
            self.zoom = 1.0;
        }
        self.overlay.validate();
        self.curves.validate();
        self.inspect.validate();
        self.compare.validate();
        for tab in Tab::ALL {
            match self.panels.get(&tab) {
                Some(panels) if is_sound(panels, tab) => {}
                found => {
                    if found.is_some() {
                        problems.push(format!(
                            "the saved panels of {} do not fit together; they are as at first",
                            tab.name()
                        ));
                    }
                    self.panels.insert(tab, default_panels(tab));
                }
            }
        }
        problems
    }

    /// Writes `file`.
    ///
    /// # Errors
    /// A sentence that says why it cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), String> {
        let write = || {
            if let Some(folder) = file.parent() {
                create_folder(folder)?;
            }
            write_json(file, self)
        };
        write().map_err(|error| format!("the layout is not saved: {error}"))
    }
}

/// Where it is kept; `None` where the system names no folder for settings.
#[must_use]
pub fn default_file() -> Option<PathBuf> {
    Some(dirs::config_dir()?.join("marscope").join("window.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_survives_the_file_and_what_is_damaged_is_replaced_and_said() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("settings").join("window.json");
        let (fresh, problems) = Saved::read(&file);
        assert!(problems.is_empty());
        let mut changed = fresh;
        changed.overlay.opacity = 0.25;
        changed.theme = ThemeChoice::Light;
        changed.write(&file).unwrap();
        let (back, problems) = Saved::read(&file);
        assert_eq!((back.overlay.opacity, back.theme, problems.len()), (0.25, ThemeChoice::Light, 0));

        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, &text[..text.len() / 2]).unwrap();
        let (back, problems) = Saved::read(&file);
        assert_eq!(back.overlay, OverlayView::default());
        assert!(problems[0].contains("damaged"), "{problems:?}");
        assert!(file.with_extension("damaged.json").exists(), "nothing is thrown away");

        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value["zoom"] = serde_json::json!(1e9);
        value["overlay"]["layer"] = serde_json::json!("of another version");
        value["curves"]["smoothing"] = serde_json::json!(0.5);
        value["panels"]["live"] = value["panels"]["inspect"].clone();
        std::fs::write(&file, value.to_string()).unwrap();
        let (back, problems) = Saved::read(&file);
        assert_eq!((back.zoom, back.curves.smoothing), (1.0, 0.5));
        assert_eq!(back.overlay, OverlayView::default());
        assert!(problems.iter().any(|problem| problem.contains("overlay")), "{problems:?}");
        assert!(is_sound(&back.panels[&Tab::Live], Tab::Live));
        assert!(problems.iter().any(|problem| problem.contains("Live")), "{problems:?}");
    }
}
