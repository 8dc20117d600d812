//! A table whose first column and heading stay while the rest scrolls, and which draws only the cells that are seen.

use eframe::egui::{Align, Color32, Layout, Rect, ScrollArea, Stroke, Ui, UiBuilder, Vec2, pos2, vec2};

/// Space on either side of what stands in a cell, points.
const PADDING: f32 = 5.0;
/// Width that must be left for the other columns; else the first one scrolls with them.
const LEFT_FOR_OTHERS: f32 = 120.0;

/// What the table looks like.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    /// Name that no other table of the panel has.
    pub name: &'a str,
    /// Widths of the columns, points.
    pub widths: &'a [f32],
    /// Height of the heading, points.
    pub head: f32,
    /// Height of a row, points.
    pub row: f32,
    /// Rows.
    pub rows: usize,
    /// Between rows.
    pub line: Color32,
}

/// Size of text of less weight in a cell, points.
pub const CAPTION: f32 = 11.0;

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Row; none for the heading.
    pub row: Option<usize>,
    /// Column.
    pub column: usize,
}

/// Where things are in this frame.
struct Frame<'a> {
    grid: Grid<'a>,
    /// Top left of all cells, outside of what is seen once scrolled.
    origin: eframe::egui::Pos2,
    /// What is seen.
    seen: Rect,
    /// Width of the column that stays.
    fixed: f32,
    /// Left ends of the columns, from `origin`.
    lefts: Vec<f32>,
    rows: std::ops::Range<usize>,
}

/// Draws the table; `cell` draws one cell and is called for those that are seen.
pub fn grid_ui(ui: &mut Ui, grid: Grid<'_>, cell: &mut dyn FnMut(&mut Ui, Place)) {
    let size = vec2(grid.widths.iter().sum(), grid.head + grid.row * grid.rows as f32);
    ScrollArea::both().id_salt(grid.name).auto_shrink([false, true]).show_viewport(ui, |ui, viewport| {
        let origin = ui.max_rect().min;
        ui.allocate_space(size);
        let seen = Rect::from_min_size(origin + viewport.min.to_vec2(), viewport.size());
        let seen = seen
            .intersect(ui.clip_rect())
            .intersect(Rect::from_min_size(origin, size.max(viewport.size() * vec2(1.0, 0.0))));
        let first = grid.widths.first().copied().unwrap_or(0.0);
        let fixed = if seen.width() - first >= LEFT_FOR_OTHERS { first } else { 0.0 };
        let mut lefts = vec![0.0];
        lefts.extend(grid.widths.iter().scan(0.0, |left, width| {
            *left += width;
            Some(*left)
        }));
        let top = viewport.min.y.max(0.0);
        let from = (top / grid.row).floor() as usize;
        let to = ((top + viewport.height() - grid.head) / grid.row).ceil().max(0.0) as usize + 1;
        let rows = from.min(grid.rows)..to.min(grid.rows);
        let frame = Frame { grid, origin, seen, fixed, lefts, rows };
        frame.draw(ui, cell);
    });
}

impl Frame<'_> {
    fn draw(&self, ui: &mut Ui, cell: &mut dyn FnMut(&mut Ui, Place)) {
        let (grid, seen) = (self.grid, self.seen);
        let corner = pos2(seen.left() + self.fixed, seen.top() + grid.head);
        let staying = usize::from(self.fixed > 0.0);
        for row in self.rows.clone() {
            let y = self.origin.y + grid.head + grid.row * (row + 1) as f32;
            let clip = Rect::from_min_max(pos2(seen.left(), corner.y), seen.max);
            ui.painter().with_clip_rect(clip).hline(
                seen.x_range(),
                y,
                Stroke::new(1.0, grid.line.gamma_multiply(0.6)),
            );
        }
        let body = Rect::from_min_max(corner, seen.max);
        let left = Rect::from_min_max(pos2(seen.left(), corner.y), pos2(corner.x, seen.bottom()));
        let head = Rect::from_min_max(pos2(corner.x, seen.top()), pos2(seen.right(), corner.y));
        let both = Rect::from_min_max(seen.min, corner);
        for row in self.rows.clone() {
            for column in staying..grid.widths.len() {
                self.cell(ui, (Some(row), column), body, cell);
            }
            if staying == 1 {
                self.cell(ui, (Some(row), 0), left, cell);
            }
        }
        for column in staying..grid.widths.len() {
            self.cell(ui, (None, column), head, cell);
        }
        if staying == 1 {
            self.cell(ui, (None, 0), both, cell);
            ui.painter().vline(corner.x, seen.y_range(), Stroke::new(1.0, grid.line));
        }
        ui.painter().hline(seen.x_range(), corner.y, Stroke::new(1.0, grid.line));
    }

    fn cell(
        &self,
        ui: &mut Ui,
        (row, column): (Option<usize>, usize),
        clip: Rect,
        draw: &mut dyn FnMut(&mut Ui, Place),
    ) {
        let (Some(left), Some(width)) = (self.lefts.get(column), self.grid.widths.get(column)) else {
            return;
        };
        let stays = column == 0 && self.fixed > 0.0;
        let x = if stays { self.seen.left() } else { self.origin.x + left };
        let (y, height) = match row {
            None => (self.seen.top(), self.grid.head),
            Some(row) => (self.origin.y + self.grid.head + self.grid.row * row as f32, self.grid.row),
        };
        let rect = Rect::from_min_size(pos2(x, y), vec2(*width, height));
        let clip = clip.intersect(ui.clip_rect());
        if !rect.intersects(clip) {
            return;
        }
        let builder = UiBuilder::new()
            .id_salt((self.grid.name, row, column))
            .max_rect(rect.shrink2(Vec2::new(PADDING, 1.0)))
            .layout(Layout::left_to_right(Align::Center));
        let mut child = ui.new_child(builder);
        child.set_clip_rect(rect.intersect(clip));
        child.spacing_mut().item_spacing.x = 4.0;
        draw(&mut child, Place { row, column });
    }
}

/// The width that holds `widest` and the padding.
#[must_use]
pub fn padded(widest: f32) -> f32 {
    widest + 2.0 * PADDING + 1.0
}
