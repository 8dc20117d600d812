// One picture with what is known about its tokens drawn over it. Needs colormap.wgsl in front of it.
// src/ui/overlay/shade.rs computes the same on the CPU, for export, and a test compares the two pixel by pixel.
//
// Lengths that end in `_px` are physical pixels. `spot` is a place in pixels from the left top corner of the whole
// picture as magnified, so that patterns move with the picture when it is panned.

struct Draw {
    // Left, top, width and height of the widget in the frame buffer, in pixels.
    rect_px: vec4<f32>,
    // Left, top, width and height of the part of the picture that fills it.
    uv: vec4<f32>,
    // Low and high end of the colour scale, threshold, opacity of the map.
    range: vec4<f32>,
    // Dimming of tokens without colour, place of the swipe, gain of the difference, AR step.
    looks: vec4<f32>,
    // Width of a thin line in pixels, opacity of all, width of an outline in pixels, period of hatching in pixels.
    pixels: vec4<f32>,
    // Tokens along the side, selected token, colour map, flags.
    ids: vec4<u32>,
}

// `Draw` on its way to the fragments. They get it this way and not from the uniform buffer since lavapipe compiles a
// shader anew for every value of a uniform that a branch depends on: 8 ms a draw, and 100 ms the first time.
struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) rect_px: vec4<f32>,
    @location(1) @interpolate(flat) uv: vec4<f32>,
    @location(2) @interpolate(flat) range: vec4<f32>,
    @location(3) @interpolate(flat) looks: vec4<f32>,
    @location(4) @interpolate(flat) pixels: vec4<f32>,
    @location(5) @interpolate(flat) ids: vec4<u32>,
}

const MAP: u32 = 1u;
const THRESHOLD: u32 = 2u;
const MASK: u32 = 4u;
const BUILT: u32 = 8u;
const GRID: u32 = 16u;
const SMOOTH_MAP: u32 = 32u;
const SMOOTH_PICTURE: u32 = 64u;
const SWIPE: u32 = 128u;
const DIFFERENCE: u32 = 256u;
const SIGNED: u32 = 512u;
const SECOND_MAP: u32 = 1024u;
const SECOND_MASK: u32 = 2048u;

const SELECTED_BIT: u32 = 1u;
const DROPPED_BIT: u32 = 2u;
const BRUSHED_BIT: u32 = 4u;

const KNOWN: u32 = 0u;
const NOW: u32 = 1u;
const STILL_MASKED: u32 = 2u;

const WHITE: vec3<f32> = vec3(1.0);
const BLACK: vec3<f32> = vec3(0.0);
const BRUSHED_INK: vec3<f32> = vec3(0.941, 0.894, 0.259);
const NOW_INK: vec3<f32> = vec3(0.902, 0.624, 0.0);
const CHECKER_LIGHT: vec3<f32> = vec3(0.60);
const CHECKER_DARK: vec3<f32> = vec3(0.44);
const NON_FINITE_LINE: vec3<f32> = vec3(1.0, 0.42, 0.71);
const NON_FINITE_GROUND: vec3<f32> = vec3(0.22, 0.0, 0.11);
const DROPPED_DIM: f32 = 0.55;

@group(0) @binding(0) var<uniform> uniforms: Draw;
// The draw of this fragment.
var<private> draw: Draw;
@group(1) @binding(0) var picture: texture_2d<f32>;
@group(1) @binding(1) var second_picture: texture_2d<f32>;
// The bits of 32-bit floats. Whether a value is finite is decided on the bits: a shader compiler may assume that
// floats are never NaN and drop the question.
@group(1) @binding(2) var map: texture_2d<u32>;
@group(1) @binding(3) var second_map: texture_2d<u32>;
@group(1) @binding(4) var mask: texture_2d<u32>;
@group(1) @binding(5) var second_mask: texture_2d<u32>;
@group(1) @binding(6) var order: texture_2d<u32>;

fn has(flag: u32) -> bool {
    return (draw.ids.w & flag) != 0u;
}

fn is_finite(bits: u32) -> bool {
    return (bits & 0x7f800000u) != 0x7f800000u;
}

fn luma(colour: vec3<f32>) -> f32 {
    return dot(colour, vec3(0.2126, 0.7152, 0.0722));
}

fn dimmed(colour: vec3<f32>, share: f32) -> vec3<f32> {
    return mix(colour, vec3(0.5 * luma(colour)), share);
}

// The cell of a grid of `size` cells that lies at `spot`.
fn cell_at(spot: vec2<f32>, whole_px: vec2<f32>, size: vec2<u32>) -> vec2<u32> {
    let place = floor(spot / whole_px * vec2<f32>(size));
    return vec2<u32>(clamp(place, vec2(0.0), vec2<f32>(size) - 1.0));
}

// Pixels from `spot` to the nearest edge of its token.
fn edge_px(spot: vec2<f32>, whole_px: vec2<f32>, size: vec2<u32>) -> f32 {
    let token_px = whole_px / vec2<f32>(size);
    let inside = fract(spot / token_px) * token_px;
    let nearest = min(inside, token_px - inside);
    return min(nearest.x, nearest.y);
}

// Picture

fn nearest_texel(image: texture_2d<f32>, spot: vec2<f32>, whole_px: vec2<f32>) -> vec3<f32> {
    return textureLoad(image, cell_at(spot, whole_px, textureDimensions(image)), 0).rgb;
}

fn smooth_texel(image: texture_2d<f32>, spot: vec2<f32>, whole_px: vec2<f32>) -> vec3<f32> {
    let size = vec2<f32>(textureDimensions(image));
    let place = spot / whole_px * size - 0.5;
    let first = floor(place);
    let share = place - first;
    let low = vec2<u32>(clamp(first, vec2(0.0), size - 1.0));
    let high = vec2<u32>(clamp(first + 1.0, vec2(0.0), size - 1.0));
    let top = mix(textureLoad(image, low, 0).rgb, textureLoad(image, vec2(high.x, low.y), 0).rgb, share.x);
    let bottom = mix(textureLoad(image, vec2(low.x, high.y), 0).rgb, textureLoad(image, high, 0).rgb, share.x);
    return mix(top, bottom, share.y);
}

// A picture that is drawn smaller than it is: the mean of up to 8 x 8 places inside the pixel.
fn picture_at(image: texture_2d<f32>, spot: vec2<f32>, whole_px: vec2<f32>) -> vec3<f32> {
    let texels = vec2<f32>(textureDimensions(image)) / whole_px;
    let places = vec2<u32>(clamp(ceil(texels - 0.001), vec2(1.0), vec2(8.0)));
    if places.x == 1u && places.y == 1u {
        if has(SMOOTH_PICTURE) {
            return smooth_texel(image, spot, whole_px);
        }
        return nearest_texel(image, spot, whole_px);
    }
    var sum = vec3(0.0);
    for (var y = 0u; y < places.y; y++) {
        for (var x = 0u; x < places.x; x++) {
            let offset = (vec2(f32(x), f32(y)) + 0.5) / vec2<f32>(places) - 0.5;
            sum += nearest_texel(image, spot + offset, whole_px);
        }
    }
    return sum / f32(places.x * places.y);
}

fn base_colour(spot: vec2<f32>, whole_px: vec2<f32>, on_second: bool) -> vec3<f32> {
    if on_second {
        return picture_at(second_picture, spot, whole_px);
    }
    let first = picture_at(picture, spot, whole_px);
    if !has(DIFFERENCE) {
        return first;
    }
    let second = picture_at(second_picture, spot, whole_px);
    let gain = draw.looks.z;
    if has(SIGNED) {
        return colour_map(DIVERGING, 0.5 + 0.5 * gain * (luma(second) - luma(first)));
    }
    return clamp(abs(second - first) * gain, vec3(0.0), vec3(1.0));
}

// Patterns

// How far a line pattern of this period covers the pixel. `along` runs across the lines, in pixels.
fn stripe(along: f32, period_px: f32, width_px: f32) -> f32 {
    let distance = abs(fract(along / period_px) * period_px - 0.5 * period_px);
    return clamp(0.5 + 0.5 * width_px - distance, 0.0, 1.0);
}

fn rising(spot: vec2<f32>) -> f32 {
    return (spot.x + spot.y) * 0.70710678;
}

fn falling(spot: vec2<f32>) -> f32 {
    return (spot.x - spot.y) * 0.70710678;
}

// A line with a border of the opposite tone, seen on light and on dark pictures.
fn hatched(colour: vec3<f32>, along: f32, ink: vec3<f32>) -> vec3<f32> {
    let thin = draw.pixels.x;
    let period = draw.pixels.w;
    let bordered = mix(colour, WHITE - ink, 0.5 * stripe(along, period, 3.0 * thin));
    return mix(bordered, ink, 0.9 * stripe(along, period, 1.25 * thin));
}

fn non_finite_pattern(spot: vec2<f32>) -> vec3<f32> {
    let width = 1.25 * draw.pixels.x;
    let period = draw.pixels.w;
    let cover = max(stripe(rising(spot), period, width), stripe(falling(spot), period, width));
    return mix(NON_FINITE_GROUND, NON_FINITE_LINE, cover);
}

fn checker(spot: vec2<f32>) -> vec3<f32> {
    let square = floor(spot / (0.5 * draw.pixels.w));
    let odd = fract((square.x + square.y) * 0.5) > 0.25;
    return select(CHECKER_LIGHT, CHECKER_DARK, odd);
}

// Maps

fn smooth_value(values: texture_2d<u32>, place: vec2<f32>) -> f32 {
    let size = vec2<f32>(textureDimensions(values));
    let first = floor(place - 0.5);
    let share = place - 0.5 - first;
    var sum = 0.0;
    var weights = 0.0;
    for (var y = 0u; y < 2u; y++) {
        for (var x = 0u; x < 2u; x++) {
            let step = vec2(f32(x), f32(y));
            let at = vec2<u32>(clamp(first + step, vec2(0.0), size - 1.0));
            let bits = textureLoad(values, at, 0).r;
            let weight = select(1.0 - share.x, share.x, x == 1u) * select(1.0 - share.y, share.y, y == 1u);
            if is_finite(bits) {
                sum += weight * bitcast<f32>(bits);
                weights += weight;
            }
        }
    }
    return sum / weights;
}

fn with_map(values: texture_2d<u32>, under: vec3<f32>, spot: vec2<f32>, whole_px: vec2<f32>) -> vec3<f32> {
    let size = textureDimensions(values);
    let bits = textureLoad(values, cell_at(spot, whole_px, size), 0).r;
    let opacity = draw.range.w;
    if !is_finite(bits) {
        return mix(under, non_finite_pattern(spot), opacity);
    }
    var value = bitcast<f32>(bits);
    if has(THRESHOLD) && value < draw.range.z {
        return dimmed(under, draw.looks.x);
    }
    if has(SMOOTH_MAP) {
        value = smooth_value(values, spot / whole_px * vec2<f32>(size));
    }
    let low = draw.range.x;
    let high = draw.range.y;
    var fraction = 0.5;
    if high > low {
        fraction = clamp((value - low) / (high - low), 0.0, 1.0);
    }
    return mix(under, colour_map(draw.ids.z, fraction), opacity);
}

// Masks

fn with_mask(marks: texture_2d<u32>, under: vec3<f32>, spot: vec2<f32>, whole_px: vec2<f32>) -> vec3<f32> {
    let bits = textureLoad(marks, cell_at(spot, whole_px, textureDimensions(marks)), 0).r;
    var colour = under;
    if (bits & DROPPED_BIT) != 0u {
        colour = hatched(dimmed(colour, DROPPED_DIM), falling(spot), BLACK);
    }
    if (bits & SELECTED_BIT) != 0u {
        colour = hatched(colour, rising(spot), WHITE);
    }
    return colour;
}

// Pixels to the nearest token around that is not brushed, or to the border of the picture.
fn to_unbrushed_px(spot: vec2<f32>, whole_px: vec2<f32>) -> f32 {
    let size = vec2<i32>(textureDimensions(mask));
    let token_px = whole_px / vec2<f32>(size);
    let inside = fract(spot / token_px) * token_px;
    let cell = vec2<i32>(cell_at(spot, whole_px, vec2<u32>(size)));
    var nearest = token_px.x + token_px.y;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let beside = cell + vec2(x, y);
            let away = select(inside, token_px - inside, vec2(x, y) > vec2(0)) * abs(vec2(f32(x), f32(y)));
            let within = clamp(beside, vec2(0), size - 1);
            let bits = textureLoad(mask, within, 0).r;
            if any(within != beside) || (bits & BRUSHED_BIT) == 0u {
                nearest = min(nearest, max(away.x, away.y));
            }
        }
    }
    return nearest;
}

// Brushed tokens that touch share one outline.
fn with_brush(under: vec3<f32>, spot: vec2<f32>, whole_px: vec2<f32>) -> vec3<f32> {
    let bits = textureLoad(mask, cell_at(spot, whole_px, textureDimensions(mask)), 0).r;
    if (bits & BRUSHED_BIT) == 0u {
        return under;
    }
    return outlined(under, to_unbrushed_px(spot, whole_px), BRUSHED_INK);
}

// Lines

fn outlined(under: vec3<f32>, edge: f32, ink: vec3<f32>) -> vec3<f32> {
    if edge < draw.pixels.z {
        return ink;
    }
    if edge < draw.pixels.z + draw.pixels.x {
        return BLACK;
    }
    return under;
}

fn with_grid(under: vec3<f32>, spot: vec2<f32>, whole_px: vec2<f32>) -> vec3<f32> {
    let size = vec2(draw.ids.x);
    let here = cell_at(spot, whole_px, size);
    let before = cell_at(spot - draw.pixels.x, whole_px, size);
    if all(here == before) {
        return under;
    }
    let ink = select(WHITE, BLACK, luma(under) > 0.5);
    return mix(under, ink, 0.4);
}

fn with_selection(under: vec3<f32>, spot: vec2<f32>, whole_px: vec2<f32>) -> vec3<f32> {
    let size = vec2(draw.ids.x);
    let cell = cell_at(spot, whole_px, size);
    if cell.y * draw.ids.x + cell.x != draw.ids.y {
        return under;
    }
    return outlined(under, edge_px(spot, whole_px, size), WHITE);
}

fn stage_at(spot: vec2<f32>, whole_px: vec2<f32>) -> u32 {
    let bits = textureLoad(order, cell_at(spot, whole_px, textureDimensions(order)), 0).r;
    let ar_step = draw.looks.w;
    if !is_finite(bits) || bitcast<f32>(bits) > ar_step {
        return STILL_MASKED;
    }
    return select(KNOWN, NOW, bitcast<f32>(bits) == ar_step);
}

fn with_swipe_line(under: vec3<f32>, distance: f32) -> vec3<f32> {
    if distance < draw.pixels.x {
        return WHITE;
    }
    return select(under, BLACK, distance < 2.0 * draw.pixels.x);
}

fn layers(spot: vec2<f32>, whole_px: vec2<f32>, on_second: bool) -> vec3<f32> {
    var colour = base_colour(spot, whole_px, on_second);
    if on_second {
        if has(SECOND_MAP) {
            colour = with_map(second_map, colour, spot, whole_px);
        }
        if has(SECOND_MASK) {
            colour = with_mask(second_mask, colour, spot, whole_px);
        }
        return colour;
    }
    if has(MAP) {
        colour = with_map(map, colour, spot, whole_px);
    }
    if has(MASK) {
        colour = with_mask(mask, colour, spot, whole_px);
    }
    return colour;
}

fn shade(position: vec2<f32>) -> vec4<f32> {
    let at = position - draw.rect_px.xy;
    let whole_px = draw.rect_px.zw / draw.uv.zw;
    let spot = at + draw.uv.xy * whole_px;
    if any(spot < vec2(0.0)) || any(spot >= whole_px) {
        return vec4(0.0);
    }
    let from_split = at.x - draw.looks.y * draw.rect_px.z;
    let on_second = has(SWIPE) && from_split >= 0.0;
    var stage = KNOWN;
    if has(BUILT) && !on_second {
        stage = stage_at(spot, whole_px);
    }
    var colour = checker(spot);
    if stage != STILL_MASKED {
        colour = layers(spot, whole_px, on_second);
    }
    if has(GRID) {
        colour = with_grid(colour, spot, whole_px);
    }
    if stage == NOW {
        colour = outlined(colour, edge_px(spot, whole_px, textureDimensions(order)), NOW_INK);
    }
    if has(MASK) && !on_second {
        colour = with_brush(colour, spot, whole_px);
    }
    if draw.ids.x > 0u {
        colour = with_selection(colour, spot, whole_px);
    }
    if has(SWIPE) {
        colour = with_swipe_line(colour, abs(from_split));
    }
    let alpha = draw.pixels.y;
    return vec4(colour * alpha, alpha);
}

// The corners of the viewport, for a strip of two triangles.
@vertex
fn vertex_main(@builtin(vertex_index) index: u32) -> Varyings {
    let corner = vec2(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let u = uniforms;
    return Varyings(vec4(corner, 0.0, 1.0), u.rect_px, u.uv, u.range, u.looks, u.pixels, u.ids);
}

fn shaded(in: Varyings) -> vec4<f32> {
    draw = Draw(in.rect_px, in.uv, in.range, in.looks, in.pixels, in.ids);
    return shade(in.position.xy);
}

@fragment
fn fragment_gamma(in: Varyings) -> @location(0) vec4<f32> {
    return shaded(in);
}

// For a frame buffer that converts from linear light itself.
@fragment
fn fragment_linear(in: Varyings) -> @location(0) vec4<f32> {
    let colour = shaded(in);
    let low = colour.rgb / 12.92;
    let high = pow((colour.rgb + 0.055) / 1.055, vec3(2.4));
    return vec4(select(high, low, colour.rgb < vec3(0.04045)), colour.a);
}
