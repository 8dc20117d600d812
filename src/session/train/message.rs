//! What a session tells its front end. Facts come in order through a bounded queue and are never dropped before they are on
//! disk; pictures and the status are the newest only, in slots.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::runs::event::Event;

/// How the warning begins that says that changed settings were refused.
pub const REFUSED: &str = "the settings stay as they are: ";

/// One fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Something was recorded.
    Event(Box<Event>),
    /// Something went wrong and the run goes on.
    Warning(String),
    /// Recording failed; the run waits until it is told to go on, and tries again then.
    RecordingFailed(String),
    /// A checkpoint was written.
    Checkpoint(PathBuf),
    /// The reader was so slow that this many recorded events were left out here; they are in the run's folder.
    Missed(usize),
    /// The run is over.
    Ended(End),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All iterations are done.
    Finished,
    /// The user stopped it.
    Stopped,
    /// A number that must be finite was not: the training's own doing.
    Diverged(String),
    /// Anything else: a file, a device, a setting.
    Failed(String),
}

impl End {
    /// Why it ended, if something went wrong.
    #[must_use]
    pub fn reason(self) -> Option<String> {
        match self {
            Self::Finished | Self::Stopped => None,
            Self::Diverged(reason) | Self::Failed(reason) => Some(reason),
        }
    }
}

/// Facts that fit into the queue.
const QUEUE: usize = 1024;
/// Facts that wait in the trainer's memory for a slow reader, before recorded ones are left out.
const BACKLOG: usize = 16_384;

/// The trainer's end: sending never waits. Clones share one queue.
#[derive(Clone, Debug)]
pub struct Outbox(Arc<Mutex<Backlog>>);

#[derive(Debug)]
struct Backlog {
    sender: SyncSender<Message>,
    waiting: VecDeque<Message>,
    missed: usize,
}

/// An outbox and the front end's end of it.
#[must_use]
pub fn outbox() -> (Outbox, Receiver<Message>) {
    let (sender, receiver) = sync_channel(QUEUE);
    let backlog = Backlog { sender, waiting: VecDeque::new(), missed: 0 };
    (Outbox(Arc::new(Mutex::new(backlog))), receiver)
}

impl Outbox {
    /// Sends a fact, after those that wait.
    pub fn send(&self, message: Message) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).send(message);
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let backlog = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        backlog.waiting.is_empty() && backlog.missed == 0
    }

    /// Sends what waits, as far as there is room.
    pub fn flush(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush();
    }
}

impl Backlog {
    fn send(&mut self, message: Message) {
        self.waiting.push_back(message);
        if self.waiting.len() > BACKLOG {
            // Only what is on disk may be left out.
            let recorded = self.waiting.iter().position(|m| matches!(m, Message::Event(_)));
            if let Some(place) = recorded {
                self.waiting.remove(place);
                self.missed += 1;
            }
        }
        self.flush();
    }

    fn flush(&mut self) {
        if self.missed > 0
            && !matches!(self.sender.try_send(Message::Missed(self.missed)), Err(TrySendError::Full(_)))
        {
            self.missed = 0;
        }
        while let Some(message) = self.waiting.pop_front() {
            match self.sender.try_send(message) {
                Ok(()) => {}
                Err(TrySendError::Full(message)) => {
                    self.waiting.push_front(message);
                    break;
                }
                // Nobody listens; the disk has it.
                Err(TrySendError::Disconnected(_)) => self.waiting.clear(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(step: usize) -> Message {
        Message::Event(Box::new(Event::Note { step, text: String::new() }))
    }

    #[test]
    fn a_slow_reader_gets_every_fact_in_order() {
        let (outbox, receiver) = outbox();
        for step in 0..5000 {
            outbox.send(note(step));
        }
        let mut seen = Vec::new();
        for _ in 0..10 {
            seen.extend(receiver.try_iter());
            outbox.flush();
        }
        assert_eq!(seen, (0..5000).map(note).collect::<Vec<_>>());
    }

    #[test]
    fn a_reader_that_never_reads_is_told_what_it_missed_and_loses_no_warning() {
        let (outbox, receiver) = outbox();
        outbox.send(Message::Warning("first".into()));
        for step in 0..QUEUE + BACKLOG + 100 {
            outbox.send(note(step));
        }
        outbox.send(Message::Warning("last".into()));
        let mut seen: Vec<Message> = Vec::new();
        for _ in 0..100 {
            seen.extend(receiver.try_iter());
            outbox.flush();
        }
        let missed: usize = seen.iter().map(|m| if let Message::Missed(n) = m { *n } else { 0 }).sum();
        let events = seen.iter().filter(|m| matches!(m, Message::Event(_))).count();
        assert!(missed > 0);
        assert_eq!(events + missed, QUEUE + BACKLOG + 100);
        assert_eq!(seen.iter().filter(|m| matches!(m, Message::Warning(_))).count(), 2);
    }

    #[test]
    fn without_a_reader_nothing_piles_up() {
        let (outbox, receiver) = outbox();
        drop(receiver);
        for step in 0..10_000 {
            outbox.send(note(step));
        }
        assert!(outbox.0.lock().unwrap().waiting.is_empty());
    }
}
