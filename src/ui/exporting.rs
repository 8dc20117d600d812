//! Makes files on a thread of its own, one after the other, so that no frame waits for one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use eframe::egui::Context;

use super::action::{Action, Content, Export};
use super::export::Job;
use crate::error::Error;

/// A file that takes longer than this is spoken of, so that nobody asks for it twice.
const LONG: Duration = Duration::from_millis(700);

type Made = Result<Content, String>;

/// Files being made.
#[derive(Default)]
pub struct Exporting {
    thread: Option<Thread>,
    /// Names of the files that are asked for and not made, the oldest first.
    asked: Vec<String>,
    /// When the oldest of them was begun; none once its length was told.
    since: Option<Instant>,
}

struct Thread {
    jobs: Sender<Job>,
    made: Receiver<Made>,
}

impl Exporting {
    /// Makes a file of that name, after those that were asked for before. A frame is drawn when it is there.
    ///
    /// # Errors
    /// [`Error::Device`] if the thread cannot be started.
    pub fn ask(&mut self, ctx: &Context, name: String, job: Job) -> Result<(), Error> {
        let thread = match self.thread.take() {
            Some(thread) => thread,
            None => Thread::start(ctx.clone())?,
        };
        // It ends only with this.
        drop(thread.jobs.send(job));
        self.thread = Some(thread);
        if self.asked.is_empty() {
            self.since = Some(Instant::now());
            ctx.request_repaint_after(LONG);
        }
        self.asked.push(name);
        Ok(())
    }

    /// What became of the files that were made since.
    pub fn made(&mut self) -> Vec<Action> {
        let Some(thread) = &self.thread else { return Vec::new() };
        let mut actions = Vec::new();
        for made in thread.made.try_iter() {
            if self.asked.is_empty() {
                break;
            }
            let name = self.asked.remove(0);
            self.since = (!self.asked.is_empty()).then(Instant::now);
            actions.push(match made {
                Ok(content) => Action::Export(Box::new(Export { name, content })),
                Err(reason) => Action::Complain(reason),
            });
        }
        actions
    }

    /// The file that is taking long; told once.
    pub fn takes_long(&mut self) -> Option<String> {
        self.since.filter(|since| since.elapsed() >= LONG)?;
        self.since = None;
        self.asked.first().cloned()
    }
}

impl Thread {
    fn start(ctx: Context) -> Result<Self, Error> {
        let (jobs, asked) = channel::<Job>();
        let (send, made) = channel();
        let work = move || {
            for job in asked {
                let made = catch_unwind(AssertUnwindSafe(|| job.run()));
                let fault = "The file was not made: a fault of the program, of which the log says more.";
                // The window may be closed by now.
                drop(send.send(made.unwrap_or_else(|_caught| Err(fault.to_owned()))));
                ctx.request_repaint();
            }
        };
        std::thread::Builder::new().name("export".into()).spawn(work).map_err(|error| {
            Error::Device(format!("the thread that makes files could not be started: {error}"))
        })?;
        Ok(Self { jobs, made })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(exporting: &mut Exporting, count: usize) -> Vec<Action> {
        let (start, mut actions) = (Instant::now(), Vec::new());
        while actions.len() < count {
            assert!(start.elapsed() < Duration::from_secs(20), "they never came");
            actions.extend(exporting.made());
            std::thread::sleep(Duration::from_millis(2));
        }
        actions
    }

    #[test]
    fn files_come_one_after_the_other_in_the_order_in_which_they_were_asked_for() {
        let (mut exporting, ctx) = (Exporting::default(), Context::default());
        let (open, gate) = channel::<()>();
        let slow = Job::new(move || {
            gate.recv().unwrap();
            Ok(Content::Csv("slow".into()))
        });
        exporting.ask(&ctx, "first".into(), slow).unwrap();
        exporting.ask(&ctx, "second".into(), Job::new(|| Ok(Content::Csv("fast".into())))).unwrap();
        exporting.ask(&ctx, "third".into(), Job::new(|| Err("No picture.".into()))).unwrap();
        std::thread::sleep(LONG + Duration::from_millis(10));
        assert!(exporting.made().is_empty(), "the second waits for the first");
        assert_eq!(exporting.takes_long().as_deref(), Some("first"));
        assert_eq!(exporting.takes_long(), None, "told once");
        open.send(()).unwrap();
        let actions = wait(&mut exporting, 3);
        let [Action::Export(first), Action::Export(second), Action::Complain(third)] = &actions[..] else {
            panic!("{actions:?}")
        };
        assert_eq!(
            (first.name.as_str(), second.name.as_str(), third.as_str()),
            ("first", "second", "No picture.")
        );
        assert!(matches!(&first.content, Content::Csv(text) if text == "slow"));
        assert_eq!(exporting.takes_long(), None);
    }

    #[test]
    fn a_fault_is_told_and_the_next_file_is_made() {
        let (mut exporting, ctx) = (Exporting::default(), Context::default());
        exporting.ask(&ctx, "a".into(), Job::new(|| panic!("a fault"))).unwrap();
        exporting.ask(&ctx, "b".into(), Job::new(|| Ok(Content::Csv(String::new())))).unwrap();
        let actions = wait(&mut exporting, 2);
        assert!(matches!(&actions[..], [Action::Complain(_), Action::Export(_)]), "{actions:?}");
    }
}
