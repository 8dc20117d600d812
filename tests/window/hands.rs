//! The user's hands.

use eframe::egui::Modifiers;
use egui_kittest::kittest::{NodeT, Queryable};

use crate::stage::Stage;

impl Stage {
    /// Whether the control of that name can be used.
    pub fn enabled(&self, name: &str) -> bool {
        !self.harness.get_by_label(name).accesskit_node().is_disabled()
    }

    /// Presses a key.
    pub fn key(&mut self, modifiers: Modifiers, key: eframe::egui::Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.harness.run_steps(3);
    }

    /// Types into the field of that name and presses Enter.
    pub fn type_into(&mut self, name: &str, text: &str) {
        self.harness.get_by_label(name).focus();
        self.harness.run_steps(2);
        self.harness.get_by_label(name).type_text(text);
        self.harness.run_steps(2);
        self.harness.key_press(eframe::egui::Key::Enter);
        self.harness.run_steps(3);
    }
}
