use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use marscope::runs::report::{Ablation, Cell, Measure};
use marscope::session::ablate::UnderWay;
use marscope::session::device::DeviceChoice;
use marscope::session::train::status::Status;
use marscope::ui::Pane;
use marscope::ui::action::Content;
use marscope::ui::compare::ab::{AbMode, AbView};
use marscope::ui::compare::ablating::{AblationProgress, AblationResult, AblationTable, BegunCell};
use marscope::ui::compare::pictures::PicturesView;
use marscope::ui::compare::side::Side;
use marscope::ui::compare::source::PictureSource;
use marscope::ui::compare::table::TableView;
use marscope::ui::export::{CompareShown, Format, Shown, export};
use marscope::ui::inspect::InspectView;
use marscope::ui::scene::Scene;
use marscope::ui::view::{Layer, OverlayView, ScaleScope};

use super::files::{column, is_well_formed, parsed};
use super::runs::{Made, World};

/// A name that XML and CSV have signs of their own in.
const ODD: &str = "a <b> & \"c\", d";

#[derive(Default)]
struct Views {
    pictures: PicturesView,
    ab: AbView,
    overlay: OverlayView,
    progress: Option<AblationProgress>,
    result: Option<AblationResult>,
}

fn saved(world: &World<Views>, pane: Pane, format: Format) -> Result<Content, String> {
    let (view, drawn) = (&world.view, world.ids());
    let scene = Scene {
        runs: &world.runs,
        media: &world.media,
        selection: &world.selection,
        theme: &world.theme,
        ranges: &world.ranges,
        renderer: None,
        training: None,
    };
    let compare = CompareShown {
        drawn: &drawn,
        pictures: &view.pictures,
        ab: &view.ab,
        progress: view.progress.as_ref(),
        result: view.result.as_ref(),
    };
    let (inspect, runs) = (InspectView::default(), TableView::default());
    let what = Shown { scene, overlay: &view.overlay, group: None, inspect: &inspect, runs: &runs, compare };
    export(pane, format, &what)?.run()
}

fn csv(world: &World<Views>, pane: Pane) -> Vec<Vec<String>> {
    match saved(world, pane, Format::Csv).unwrap() {
        Content::Csv(text) => parsed(&text),
        other => panic!("{other:?}"),
    }
}

fn svg(world: &World<Views>, pane: Pane) -> String {
    match saved(world, pane, Format::Svg).unwrap() {
        Content::Svg(text) => {
            is_well_formed(&text);
            text
        }
        other => panic!("{other:?}"),
    }
}

fn png(world: &World<Views>, pane: Pane) -> image::RgbImage {
    match saved(world, pane, Format::Png).unwrap() {
        Content::Png(bytes) => image::load_from_memory(&bytes).unwrap().into_rgb8(),
        other => panic!("{other:?}"),
    }
}

fn bare() -> OverlayView {
    OverlayView { layer: Layer::None, ..OverlayView::default() }
}

/// Two runs: pictures of the grey levels 50, 25 at iteration 0 and 100, 50 at 1, and 20, 10.
fn two(root: &Path) -> World<Views> {
    let paths = [Made::new(ODD, &[0.5, 1.0]).write(root), Made::new("second", &[0.2]).write(root)];
    World::new(&paths, Views { overlay: bare(), ..Views::default() })
}

/// A/B of the first pictures of both runs, read.
fn pair(root: &Path, mode: AbMode) -> World<Views> {
    let mut world = two(root);
    let ids = world.ids();
    let side = |place: usize| Some(Side { run: ids[place], pinned: Some(0), picture: 0 });
    (world.view.ab.a, world.view.ab.b, world.view.ab.mode) = (side(0), side(1), mode);
    let start = Instant::now();
    while let Err(reason) = saved(&world, Pane::Ab, Format::Csv) {
        assert!(reason.contains("is being read"), "{reason}");
        assert!(start.elapsed() < Duration::from_secs(20), "never read");
        std::thread::sleep(Duration::from_millis(5));
    }
    world
}

#[test]
fn pictures_of_runs_are_the_recorded_pixels_magnified_a_row_a_run() {
    let root = tempfile::tempdir().unwrap();
    let world = two(root.path());
    let png = png(&world, Pane::Pictures);
    // 8 pixels, 32 times, with a gap of 4.
    assert_eq!(png.dimensions(), (2 * 256 + 4, 2 * 256 + 4));
    let at = |x: u32, y: u32| png.get_pixel(x, y).0[0];
    assert_eq!([at(9, 9), at(300, 9), at(9, 300), at(300, 300), at(258, 9)], [100, 50, 20, 10, 255]);
}

#[test]
fn numbers_of_pictures_are_those_of_the_record() {
    let root = tempfile::tempdir().unwrap();
    let paths = [Made::new(ODD, &[0.1]).write(root.path()), Made::new("b", &[f64::NAN]).write(root.path())];
    let mut world = World::new(&paths, Views::default());
    let rows = csv(&world, Pane::Pictures);
    let of = |row: usize, name: &str| rows[row][column(&rows, name)].clone();
    assert_eq!(rows.len(), 5);
    assert_eq!([of(1, "run"), of(1, "iteration"), of(2, "picture")], [ODD, "0", "2"]);
    assert_eq!([of(1, "reward"), of(2, "reward"), of(3, "reward")], ["0.1", "0.05", "NaN"]);
    assert_eq!([of(1, "group"), of(1, "seed"), of(1, "advantage")], ["1", "0", "0.0"]);
    assert!(of(4, "noise").starts_with("All rows have the same seed, prompt and iteration"));
    world.view.pictures.source = PictureSource::Fixed;
    let rows = csv(&world, Pane::Pictures);
    assert_eq!(rows[0], ["run", "seed", "iteration", "picture", "prompt", "score", "noise"]);
    assert_eq!(rows[2][..6], ["b", "0", "0", "1", "two red circles", "0.5"]);
}

#[test]
fn a_drawing_of_pictures_names_runs_iterations_and_rewards_with_one_scale() {
    let root = tempfile::tempdir().unwrap();
    let mut world = two(root.path());
    world.view.overlay = OverlayView::default();
    let drawn = svg(&world, Pane::Pictures);
    for words in [
        "a &lt;b&gt; &amp; &quot;c&quot;, d",
        ">second<",
        "iteration 1, mean reward 1.000",
        "iteration 0, mean reward 0.2000",
        "#1  reward 0.2000<",
        ">advantage 0<",
        "The rows differ in iteration",
        ">Uncertainty<",
        ">0.7000<",
    ] {
        assert!(drawn.contains(words), "{words} is not in the drawing");
    }
    assert_eq!(drawn.matches("data:image/png;base64,").count(), 4);
    assert_eq!(drawn.matches(">Uncertainty<").count(), 1);
    world.view.overlay.scale = ScaleScope::Group;
    assert_eq!(svg(&world, Pane::Pictures).matches(">Uncertainty<").count(), 2, "each run has its own");
    world.view.overlay.layer = Layer::Kl;
    assert_eq!(svg(&world, Pane::Pictures).matches("KL was not recorded").count(), 3);
    world.view.pictures.source = PictureSource::Fixed;
    let fixed = svg(&world, Pane::Pictures);
    assert!(fixed.contains("#1  score 0.5000") && fixed.contains("two red circles"));
}

#[test]
fn a_damaged_picture_is_told_in_its_place() {
    let root = tempfile::tempdir().unwrap();
    let mut world = two(root.path());
    let media = root.path().join("second").join("media.bin");
    std::fs::write(&media, vec![0; std::fs::metadata(&media).unwrap().len() as usize]).unwrap();
    assert!(svg(&world, Pane::Pictures).matches("cannot be shown").count() >= 2);
    world.view.pictures.source = PictureSource::Fixed;
    assert!(svg(&world, Pane::Pictures).contains("cannot be shown"));
    assert_eq!(png(&world, Pane::Pictures).get_pixel(9, 300).0, [200; 3]);
}

#[test]
fn nothing_to_be_saved_is_said() {
    let world = World::new(&[], Views::default());
    for pane in [Pane::Pictures, Pane::Ab] {
        assert!(saved(&world, pane, Format::Svg).unwrap_err().starts_with("No run is open."));
    }
    let reason = saved(&world, Pane::Ablation, Format::Csv).unwrap_err();
    assert!(reason.starts_with("There is no result yet"), "{reason}");
    assert!(saved(&world, Pane::Ablation, Format::Png).unwrap_err().contains("cannot be saved as PNG"));
}

#[test]
fn a_pair_and_its_difference_stand_side_by_side() {
    let root = tempfile::tempdir().unwrap();
    let mut world = pair(root.path(), AbMode::SideBySide);
    // 8 pixels, 48 times.
    let both = png(&world, Pane::Ab);
    assert_eq!(both.dimensions(), (2 * 384 + 4, 384));
    assert_eq!([both.get_pixel(9, 9).0, both.get_pixel(400, 9).0], [[50; 3], [20; 3]]);
    world.view.ab.mode = AbMode::Difference;
    world.view.ab.factor = 4;
    let difference = png(&world, Pane::Ab);
    assert_eq!(difference.dimensions(), (3 * 384 + 8, 384));
    assert_eq!(difference.get_pixel(800, 9).0, [4 * 30; 3]);
    world.view.ab.mode = AbMode::Swipe;
    let swiped = png(&world, Pane::Ab);
    assert_eq!([swiped.get_pixel(790, 9).0, swiped.get_pixel(1150, 9).0], [[50; 3], [20; 3]]);
    world.view.ab.mode = AbMode::SignedDifference;
    let drawn = svg(&world, Pane::Ab);
    for words in [
        "A: a &lt;b&gt; &amp; &quot;c&quot;, d",
        "B: second",
        "reward 0.5000",
        "iteration 0, picture 1",
        "mean absolute difference 30.00 of 255",
        "red 30.00, green 30.00, blue 30.00",
        "mean difference of lightness −30.00 of 255",
        "the lightness of B less that of A, of 255",
        ">63.75<",
    ] {
        assert!(drawn.contains(words), "{words} is not in the drawing");
    }
}

#[test]
fn a_pair_has_the_numbers_of_both_and_what_is_between_them() {
    let root = tempfile::tempdir().unwrap();
    let rows = csv(&pair(root.path(), AbMode::Difference), Pane::Ab);
    let of = |name: &str| rows.iter().find(|row| row[0] == name).unwrap()[1..].to_vec();
    assert_eq!(of("run"), [ODD, "second", ""]);
    assert_eq!(of("reward"), ["0.5", "0.2", "-0.3"]);
    assert_eq!(of("advantage"), ["0.0", "0.0", "0.0"]);
    assert_eq!(of("mean_green"), ["50.0", "20.0", "-30.0"]);
    assert_eq!(of("mean_absolute_difference"), ["", "", "30.0"]);
    assert_eq!(of("mean_absolute_difference/blue"), ["", "", "30.0"]);
    assert_eq!(of("greatest_absolute_difference"), ["", "", "30"]);
    let lightness: f64 = of("mean_difference_of_lightness")[2].parse().unwrap();
    assert!((lightness + 30.0).abs() < 1e-9);
}

/// Runs as those of an ablation, and what it found.
fn ablated(root: &Path) -> (Vec<PathBuf>, AblationProgress, AblationResult) {
    let variants = [("grpo", [0.1, 0.3]), (ODD, [0.2, f64::NAN])];
    let mut cells = Vec::new();
    let mut begun = Vec::new();
    let mut paths = Vec::new();
    for (variant, rewards) in variants {
        let path = Made::new("seed-0", &rewards).write(&root.join(variant));
        let mut cell = Cell::found(&path).unwrap();
        variant.clone_into(&mut cell.variant);
        cells.push(cell);
        let variant = variant.replace(", ", " ");
        begun.push(BegunCell {
            name: format!("{variant}, a ring, seed 0"),
            folder: path.canonicalize().unwrap(),
        });
        paths.push(path);
    }
    let name = begun[1].name.clone();
    let cell = UnderWay { number: 2, name, device: DeviceChoice::Cpu, status: Status::default() };
    let under_way = vec![cell];
    let progress = AblationProgress { done: 1, of: 4, under_way, begun, ..AblationProgress::default() };
    let table = AblationTable::of(&Ablation::new(cells));
    (paths, progress, AblationResult { table: Ok(table), stopped: true, report: None })
}

#[test]
fn an_ablation_under_way_is_saved_as_far_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    let (paths, progress, _) = ablated(root.path());
    let mut world = World::new(&paths, Views { progress: Some(progress), ..Views::default() });
    let rows = csv(&world, Pane::Ablation);
    assert_eq!(rows[0], ["variant", "run", "state", "iteration", "reward"]);
    assert_eq!(rows[2], ["grpo", "a ring, seed 0", "ended", "1", "0.3"]);
    assert_eq!(rows[4], ["a <b> & \"c\" d", "a ring, seed 0", "under way", "1", "NaN"]);
    let drawn = svg(&world, Pane::Ablation);
    assert!(drawn.contains("No result yet: 1 of 4 runs done"));
    assert!(drawn.contains("a &lt;b&gt; &amp; &quot;c&quot; d"));
    assert!(drawn.contains("NaN at 1") && drawn.contains("under way (1 not finite)"));
    world.view.progress = Some(AblationProgress::default());
    assert!(saved(&world, Pane::Ablation, Format::Svg).unwrap_err().starts_with("There is no result yet"));
}

#[test]
fn the_result_of_an_ablation_is_saved_with_every_digit() {
    let root = tempfile::tempdir().unwrap();
    let (paths, progress, result) = ablated(root.path());
    let table = result.table.clone().unwrap();
    let views = Views { progress: Some(progress), result: Some(result), ..Views::default() };
    let mut world = World::new(&paths, views);
    let rows = csv(&world, Pane::Ablation);
    assert_eq!(rows.len(), 1 + 2 * Measure::ALL.len());
    let wanted = table.rows.iter().flat_map(|row| row.measures.iter().map(move |of| (row, of)));
    for (cells, (row, of)) in rows[1..].iter().zip(wanted) {
        let number = |name: &str| cells[column(&rows, name)].parse::<f64>().ok();
        assert_eq!(cells[0], row.variant);
        assert_eq!(cells[column(&rows, "measure")], of.measure.key());
        assert_eq!(number("mean"), of.estimate.mean);
        assert_eq!(number("low"), of.estimate.interval.map(|interval| interval.low));
        assert_eq!(number("n"), Some(of.estimate.n as f64));
        assert_eq!(number("difference"), of.difference.as_ref().and_then(|of| of.mean));
        assert_eq!(number("pairs"), of.difference.as_ref().map(|of| of.pairs as f64));
    }
    let drawn = svg(&world, Pane::Ablation);
    for words in
        ["a &lt;b&gt; &amp; &quot;c&quot;, d", "Final reward", "0 of 1", "Stopped: the table is of the runs"]
    {
        assert!(drawn.contains(words), "{words} is not in the drawing");
    }
    assert!(drawn.matches("<svg ").count() == 4, "a table and two charts in one");
    world.view.result.as_mut().unwrap().table = Err("the disk is full".into());
    assert!(saved(&world, Pane::Ablation, Format::Svg).unwrap_err().contains("the disk is full"));
}
