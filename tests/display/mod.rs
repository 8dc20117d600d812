//! A virtual display.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A virtual display that ends with the test.
pub struct Display {
    server: Child,
    pub name: String,
}

impl Display {
    pub fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is needed: apt-get install xvfb xdotool imagemagick mesa-vulkan-drivers");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        assert!(!number.trim().is_empty(), "Xvfb gave no display");
        Self { server, name: format!(":{}", number.trim()) }
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY");
        command
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// Waits until `found` finds something.
pub fn wait_for<T>(what: &str, seconds: u64, mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(seconds), "waited {seconds} s for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
