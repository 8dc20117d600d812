// Colour maps. src/ui/overlay/colormap.rs holds the same numbers, and a test compares both for 256 values each.
//
// viridis, magma and cividis are polynomials of degree 8 in `x = 2 t - 1`, fitted to matplotlib's tables (CC0); they
// differ from the tables by at most 2.7 / 255. The diverging map has two arms of equal lightness (Oklab), blue for
// negative and orange for positive values, which people with any colour-vision deficiency tell apart.

const VIRIDIS: u32 = 0u;
const CIVIDIS: u32 = 1u;
const MAGMA: u32 = 2u;
const GREY: u32 = 3u;
const DIVERGING: u32 = 4u;

fn viridis(x: f32) -> vec3<f32> {
    var c = vec3(0.205503, 0.082942, 0.380706);
    c = c * x + vec3(0.602299, 0.084893, 0.434305);
    c = c * x + vec3(-0.474169, -0.099417, -0.311643);
    c = c * x + vec3(-1.366419, -0.136345, -0.292735);
    c = c * x + vec3(0.085946, -0.064337, -0.082225);
    c = c * x + vec3(1.238643, 0.039597, -0.119018);
    c = c * x + vec3(0.688817, -0.029815, -0.300282);
    c = c * x + vec3(-0.106032, 0.463768, -0.111988);
    return c * x + vec3(0.124029, 0.566142, 0.550118);
}

fn cividis(x: f32) -> vec3<f32> {
    var c = vec3(-1.413211, 0.121009, 1.124112);
    c = c * x + vec3(1.328885, 0.053937, 0.524789);
    c = c * x + vec3(1.550088, -0.234163, -2.677939);
    c = c * x + vec3(-1.288785, -0.095005, -0.595369);
    c = c * x + vec3(-0.682808, 0.145922, 1.871383);
    c = c * x + vec3(0.457161, 0.066069, -0.011631);
    c = c * x + vec3(0.138242, 0.004562, -0.538862);
    c = c * x + vec3(0.421725, 0.360816, 0.040451);
    return c * x + vec3(0.487356, 0.484898, 0.473936);
}

fn magma(x: f32) -> vec3<f32> {
    var c = vec3(-0.417057, 0.837029, 0.537059);
    c = c * x + vec3(-0.391204, 0.626773, -0.699609);
    c = c * x + vec3(1.067639, -1.842647, -1.066872);
    c = c * x + vec3(0.799942, -1.177214, 0.742648);
    c = c * x + vec3(-0.732052, 1.138833, 0.711558);
    c = c * x + vec3(-0.736522, 0.730057, 0.603848);
    c = c * x + vec3(-0.140638, 0.143038, -0.268074);
    c = c * x + vec3(0.817382, 0.326436, -0.289099);
    return c * x + vec3(0.716366, 0.218036, 0.468012);
}

fn diverging(x: f32) -> vec3<f32> {
    let s = abs(x);
    let blue = (((vec3(0.005988, 0.029124, -0.013189) * s + vec3(0.049219, 0.010372, 0.02453)) * s
        + vec3(0.215154, -0.04894, -0.447698)) * s + vec3(-1.151708, -0.651298, 0.058263)) * s;
    let orange = (((vec3(-0.003183, 0.031266, -0.722126) * s + vec3(0.051317, 0.015598, 0.95777)) * s
        + vec3(-0.362851, 0.062959, -0.085188)) * s + vec3(-0.160586, -0.844807, -1.25092)) * s;
    return vec3(0.954) + select(orange, blue, x < 0.0);
}

// The colour (sRGB) of a value at `fraction` of the range, 0 at its low end.
fn colour_map(id: u32, fraction: f32) -> vec3<f32> {
    let t = clamp(fraction, 0.0, 1.0);
    let x = 2.0 * t - 1.0;
    var colour = vec3(t);
    switch id {
        case VIRIDIS: { colour = viridis(x); }
        case CIVIDIS: { colour = cividis(x); }
        case MAGMA: { colour = magma(x); }
        case DIVERGING: { colour = diverging(x); }
        default: {}
    }
    return clamp(colour, vec3(0.0), vec3(1.0));
}
