//! What a panel remembers between frames, so that an unchanged one computes nothing.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use eframe::egui::Color32;
use eframe::egui::epaint::Mesh;

use super::cells::{column_width, grid};
use super::columns::{Column, Columns, Source};
use super::curve::{Curve, SeriesId, Smoothed};
use super::mesh::{LineLook, View, area, line};
use super::scale::Scale;
use super::times::Times;
use super::trace::{Odd, band, odd_marks};
use crate::runs::series::Series;

/// Points smoothed in one frame at most; the rest follows in the next ones.
const SMOOTHED_A_FRAME: usize = 200_000;

/// Points on the screen between two marks of a kind.
const MARKS_APART: f32 = 7.0;

/// Which line of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Raw,
    Smooth,
    Low,
    High,
}

/// A line of a curve.
#[derive(Clone, Debug, Default)]
struct Kept {
    columns: Columns,
    times: Times,
    wanted: Range<i64>,
    units_a_pixel: f64,
    /// Of a column, on the axis.
    width: f64,
    revision: u64,
    /// Columns of the view, with one point before and behind it so that lines enter and leave.
    seen: Vec<Column>,
    /// How many of `seen` are outside at the front, and at the back.
    outside: [usize; 2],
    mesh: Option<(MeshBasis, Arc<Mesh>)>,
    marks: Vec<(f64, Odd)>,
    used: bool,
}

/// What a mesh depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MeshBasis {
    view: View,
    look: LineLook,
    revision: u64,
}

/// What a panel remembers.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    kept: BTreeMap<(SeriesId, Part), Kept>,
    smoothed: BTreeMap<SeriesId, (Smoothed, bool)>,
    clock: u64,
    /// Lines whose columns were looked at anew, so far.
    pub(super) thinned: usize,
    /// Meshes made, so far.
    pub(super) meshed: usize,
}

/// What is thinned: the view without its height.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub x: [f64; 2],
    /// Pixels of the device between them.
    pub pixels: f64,
    pub scale: Scale,
    pub beta: f64,
}

impl Memory {
    /// Columns of every line of `curves`; says whether there is more to smooth in the next frame.
    pub(super) fn thin<'a>(&mut self, curves: impl Iterator<Item = &'a Curve<'a>>, cut: &Cut) -> bool {
        for kept in self.kept.values_mut() {
            kept.used = false;
        }
        for smoothed in self.smoothed.values_mut() {
            smoothed.1 = false;
        }
        let mut room = SMOOTHED_A_FRAME;
        let mut unfinished = false;
        for curve in curves {
            if curve.is_smoothed(cut.beta) {
                let entry = self.smoothed.entry(curve.id);
                let (smoothed, used) = entry.or_insert_with(|| (Smoothed::new(cut.beta), true));
                *used = true;
                room -= smoothed.follow(curve.series, cut.beta, room);
                unfinished |= !smoothed.is_whole(curve.series.len());
                let (mut changed, key) = (false, (curve.id, Part::Smooth));
                let kept = self.kept.entry(key).or_default();
                changed |= kept.cover(&smoothed.series, curve, cut, &mut self.clock);
                self.thinned += usize::from(changed);
            }
            let band = curve.band.map(|[low, high]| [(Part::Low, low), (Part::High, high)]);
            let lines = std::iter::once((Part::Raw, curve.series)).chain(band.into_iter().flatten());
            for (part, series) in lines {
                let kept = self.kept.entry((curve.id, part)).or_default();
                self.thinned += usize::from(kept.cover(series, curve, cut, &mut self.clock));
            }
        }
        self.kept.retain(|_, kept| kept.used);
        self.smoothed.retain(|_, smoothed| smoothed.1);
        unfinished
    }

    /// Columns of a line, those before and behind the view included.
    pub(super) fn columns(&self, id: SeriesId, part: Part) -> &[Column] {
        self.kept.get(&(id, part)).map_or(&[], |kept| &kept.seen)
    }

    /// Columns of a line within the view.
    pub(super) fn inside(&self, id: SeriesId, part: Part) -> &[Column] {
        let Some(kept) = self.kept.get(&(id, part)) else { return &[] };
        let [front, back] = kept.outside;
        kept.seen.get(front..kept.seen.len().saturating_sub(back)).unwrap_or(&[])
    }

    /// A number that changes with the columns of a line.
    pub(super) fn revision(&self, id: SeriesId, part: Part) -> u64 {
        self.kept.get(&(id, part)).map_or(0, |kept| kept.revision)
    }

    /// The smoothed series of a curve.
    pub(super) fn smoothed(&self, id: SeriesId) -> Option<&Series> {
        self.smoothed.get(&id).map(|(smoothed, _)| &smoothed.series)
    }

    /// Triangles of a line.
    pub(super) fn line_mesh(
        &mut self,
        key: (SeriesId, Part),
        scale: Scale,
        view: &View,
        look: LineLook,
    ) -> Option<Arc<Mesh>> {
        let kept = self.kept.get_mut(&key)?;
        let basis = MeshBasis { view: *view, look, revision: kept.revision };
        if let Some((known, mesh)) = &kept.mesh
            && *known == basis
        {
            return Some(Arc::clone(mesh));
        }
        let apart = (view.x[1] - view.x[0]) / f64::from(view.rect.width().max(1.0)) * f64::from(MARKS_APART);
        kept.marks = odd_marks(&kept.seen, apart);
        let mesh = Arc::new(line(&kept.seen, kept.width, scale, view, look));
        kept.mesh = Some((basis, Arc::clone(&mesh)));
        self.meshed += 1;
        Some(mesh)
    }

    /// Triangles of a band.
    pub(super) fn band_mesh(
        &mut self,
        id: SeriesId,
        scale: Scale,
        view: &View,
        colour: Color32,
    ) -> Option<Arc<Mesh>> {
        let high = self.kept.get(&(id, Part::High))?;
        let low = self.kept.get(&(id, Part::Low))?;
        let look = LineLook { colour, width: 0.0, dashed: false };
        let basis = MeshBasis { view: *view, look, revision: low.revision.max(high.revision) };
        if let Some((known, mesh)) = &low.mesh
            && *known == basis
        {
            return Some(Arc::clone(mesh));
        }
        let mesh = Arc::new(area(&band(&low.seen, &high.seen, scale), view, colour));
        self.meshed += 1;
        self.kept.get_mut(&(id, Part::Low))?.mesh = Some((basis, Arc::clone(&mesh)));
        Some(mesh)
    }

    /// Marks of points without a place, as of the last mesh.
    pub(super) fn odd_marks(&self, id: SeriesId) -> &[(f64, Odd)] {
        self.kept.get(&(id, Part::Raw)).map_or(&[], |kept| &kept.marks)
    }
}

impl Kept {
    /// Brings the columns up to date; says whether they changed.
    fn cover(&mut self, series: &Series, curve: &Curve<'_>, cut: &Cut, clock: &mut u64) -> bool {
        self.used = true;
        let Self { times, columns, .. } = self;
        let source = Source {
            series,
            seconds: times.of(series),
            map: curve.x,
            scale: cut.scale,
            variant: cut.beta.to_bits(),
        };
        let units_a_pixel = (cut.x[1] - cut.x[0]) / cut.pixels.max(1.0);
        let width = column_width(units_a_pixel, &curve.x);
        let wanted = grid(cut.x, width);
        let changed = columns.cover(&source, width, wanted.clone());
        if !changed && wanted == self.wanted && units_a_pixel == self.units_a_pixel {
            return false;
        }
        let inside = columns.within(&wanted);
        let at = |index: usize| source.column(i64::MAX, index..index + 1);
        let start = inside.first().map_or_else(|| source.first_from(cut.x[0]), |column| column.from);
        let end = inside.last().map_or(start, |column| column.to);
        let before = start.checked_sub(1).and_then(at).map(|column| Column { key: i64::MIN, ..column });
        let behind = (end < series.len()).then(|| at(end)).flatten();
        self.outside = [usize::from(before.is_some()), usize::from(behind.is_some())];
        self.seen = before.into_iter().chain(inside.iter().copied()).chain(behind).collect();
        (self.wanted, self.units_a_pixel, self.width) = (wanted, units_a_pixel, width);
        *clock += 1;
        self.revision = *clock;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::series::Point;

    fn noisy(count: usize) -> Series {
        let mut series = Series::default();
        for step in 0..count {
            let value = (step * 7919 % 101) as f64;
            series.push(Point { step, seconds: step as f64, value });
        }
        series
    }

    fn cut(x: [f64; 2]) -> Cut {
        Cut { x, pixels: 100.0, scale: Scale::Linear, beta: 0.95 }
    }

    #[test]
    fn smoothing_is_the_same_whatever_the_zoom() {
        let series = noisy(5000);
        let curve = Curve::new("run", "kl", &series);
        let (expected, _) = series.smoothed(0.95);
        let expected = expected.columns().2;
        for x in [[0.0, 5000.0], [1000.0, 1200.0], [1100.0, 1150.0], [4990.0, 6000.0]] {
            let mut memory = Memory::default();
            assert!(!memory.thin(std::iter::once(&curve), &cut(x)));
            let columns = memory.columns(curve.id, Part::Smooth);
            assert!(!columns.is_empty());
            for column in columns {
                assert_eq!(column.last, expected[column.to - 1]);
                let of = expected[column.from..column.to].iter();
                assert_eq!(column.high, of.copied().fold(f64::NEG_INFINITY, f64::max));
            }
        }
    }

    #[test]
    fn long_series_are_smoothed_over_several_frames() {
        let series = noisy(SMOOTHED_A_FRAME + 5);
        let curve = Curve::new("run", "kl", &series);
        let mut memory = Memory::default();
        assert!(memory.thin(std::iter::once(&curve), &cut([0.0, 100.0])));
        assert!(!memory.thin(std::iter::once(&curve), &cut([0.0, 100.0])));
        assert_eq!(memory.smoothed(curve.id).map(Series::len), Some(series.len()));
    }

    #[test]
    fn two_points_are_not_smoothed() {
        let series = noisy(2);
        let curve = Curve::new("run", "kl", &series);
        let mut memory = Memory::default();
        memory.thin(std::iter::once(&curve), &cut([0.0, 2.0]));
        assert!(memory.smoothed(curve.id).is_none());
    }

    #[test]
    fn what_is_no_longer_shown_is_forgotten() {
        let series = noisy(500);
        let curve = Curve::new("run", "kl", &series);
        let mut memory = Memory::default();
        memory.thin(std::iter::once(&curve), &cut([0.0, 100.0]));
        memory.thin(std::iter::empty(), &cut([0.0, 100.0]));
        assert!(memory.smoothed(curve.id).is_none() && memory.columns(curve.id, Part::Raw).is_empty());
    }
}
