//! `marscope devices`.

use super::print_json;
use crate::error::Result;
use crate::session::device::list;

/// Arguments of `devices`.
#[derive(Debug, clap::Args)]
pub struct DevicesArguments {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &DevicesArguments) -> Result<()> {
    let lines = list();
    if arguments.json {
        return print_json(&lines);
    }
    let width = |get: fn(&crate::session::device::DeviceLine) -> &str| {
        lines.iter().map(|line| get(line).chars().count()).max().unwrap_or(0)
    };
    let (choice, name) = (width(|l| &l.choice), width(|l| &l.name));
    for line in &lines {
        let usable = if line.usable { "usable    " } else { "not usable" };
        println!("{:choice$}  {usable}  {:name$}  {}", line.choice, line.name, line.remark);
    }
    Ok(())
}
