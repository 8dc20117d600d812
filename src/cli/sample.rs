//! `marscope sample`.

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

use super::progress::Bar;
use super::{ModelArguments, print_json};
use crate::error::{Error, Result};
use crate::model::sample::{Request, SampleConfig};
use crate::runs::files::create_folder;
use crate::session::control::StopSignal;
use crate::session::generate::generate;
use crate::world::image::{Rgb8, contact_sheet};
use crate::world::prompt::Caption;
use crate::world::reward::Verifier;
use crate::world::tokenizer::encode;

/// Pictures one command may ask for.
const MOST_PICTURES: usize = 10_000;

/// Arguments of `sample`.
#[derive(Debug, clap::Args)]
pub struct SampleArguments {
    /// What to draw: "two red circles", "a blue square left of a green ring".
    #[arg(required = true, value_name = "PROMPT")]
    prompts: Vec<String>,
    /// Folder for the pictures: one PNG each, and sheet.png with all of them, a row a prompt.
    #[arg(long, default_value = "samples", value_name = "DIR")]
    out: PathBuf,
    /// The same seed draws the same pictures.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Pictures of each prompt.
    #[arg(long, default_value_t = 4, value_name = "N")]
    count: usize,
    #[command(flatten)]
    sampling: SamplingArguments,
    #[command(flatten)]
    model: ModelArguments,
    /// Print what was written as JSON.
    #[arg(long)]
    json: bool,
}

/// How pictures are generated, for every command that does.
#[derive(Debug, clap::Args)]
pub struct SamplingArguments {
    /// Weight of classifier-free guidance, 0 to 20; 1 is none and twice as fast.
    #[arg(long, default_value_t = SampleConfig::default().guidance, value_name = "W")]
    guidance: f64,
    /// AR steps, 1 to 1024.
    #[arg(long, default_value_t = SampleConfig::default().ar_steps, value_name = "K")]
    ar_steps: usize,
    /// Diffusion steps of the head, 1 to 1000.
    #[arg(long, default_value_t = SampleConfig::default().diffusion_steps, value_name = "T")]
    diffusion_steps: usize,
    /// How many of the diffusion steps draw noise, from the first; 0 is deterministic.
    #[arg(long, default_value_t = 0, value_name = "N")]
    stochastic_steps: usize,
}

impl SamplingArguments {
    /// The checked settings.
    pub fn config(&self) -> Result<SampleConfig> {
        let config = SampleConfig {
            ar_steps: self.ar_steps,
            diffusion_steps: self.diffusion_steps,
            guidance: self.guidance,
            stochastic_steps: self.stochastic_steps,
            ..SampleConfig::default()
        };
        config.validate()?;
        Ok(config)
    }
}

/// One picture in the JSON report.
#[derive(Serialize)]
struct Written {
    file: PathBuf,
    prompt: String,
    verifier_mean: f32,
    exact: bool,
}

pub fn run(arguments: &SampleArguments, stop: &StopSignal) -> Result<()> {
    let config = arguments.sampling.config()?;
    let captions =
        arguments.prompts.iter().map(|prompt| Caption::parse(prompt)).collect::<Result<Vec<Caption>>>()?;
    let pictures = arguments.count.saturating_mul(captions.len());
    if pictures == 0 || pictures > MOST_PICTURES {
        return Err(Error::Config(format!(
            "{} prompts with {} pictures each: choose between 1 and {MOST_PICTURES} pictures in all",
            captions.len(),
            arguments.count
        )));
    }
    create_folder(&arguments.out)?;
    let model = arguments.model.load()?;
    let requests: Vec<Request> = captions
        .iter()
        .flat_map(|caption| std::iter::repeat_n(encode(caption), arguments.count))
        .enumerate()
        .map(|(i, caption)| Request { caption, seed: arguments.seed, image: i as u32 })
        .collect();
    let mut bar = Bar::new();
    let started = Instant::now();
    let images = generate(&model, &requests, &config, stop, &mut |progress| bar.show(progress))?;
    bar.clear();
    let seconds = started.elapsed().as_secs_f64();
    let written = write(arguments, &captions, &images)?;
    if arguments.json {
        return print_json(&written);
    }
    for picture in &written {
        println!("{}  {}  (verifier {:.2})", picture.file.display(), picture.prompt, picture.verifier_mean);
    }
    println!(
        "{} with {} pictures in {seconds:.1} s",
        arguments.out.join("sheet.png").display(),
        images.len()
    );
    Ok(())
}

fn write(arguments: &SampleArguments, captions: &[Caption], images: &[Rgb8]) -> Result<Vec<Written>> {
    let mut written = Vec::with_capacity(images.len());
    for (i, image) in images.iter().enumerate() {
        let caption = &captions[i / arguments.count];
        let prompt = caption.to_string();
        let file = arguments.out.join(format!(
            "{:03}_{}_{}.png",
            i / arguments.count,
            slug(&prompt),
            i % arguments.count
        ));
        image.upscaled(4).write_png(&file)?;
        let verdict = Verifier.verify(image, caption);
        written.push(Written { file, prompt, verifier_mean: verdict.mean, exact: verdict.exact });
    }
    let columns = if captions.len() == 1 { images.len().min(8) } else { arguments.count.min(16) };
    let large: Vec<Rgb8> = images.iter().map(|image| image.upscaled(2)).collect();
    contact_sheet(&large, columns, 4)?.write_png(&arguments.out.join("sheet.png"))?;
    Ok(written)
}

/// A prompt as part of a file name.
fn slug(prompt: &str) -> String {
    prompt.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
