//! What the GPU draws is what the CPU computes, and nothing is uploaded twice.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use eframe::egui::{Rect, Vec2, pos2};
use eframe::egui_wgpu::{RenderState, RendererOptions};
use eframe::wgpu;
use egui_kittest::Harness;
use egui_kittest::wgpu::{WgpuTestRenderer, create_render_state, default_wgpu_setup};
use marscope::ui::overlay::{
    Built, ColourMap, Comparison, ImageView, Overlay, OverlayRenderer, Picture, SHADER, Second, TokenMap,
    TokenMask, ValueRange, compose, image_ui,
};
use marscope::world::image::Rgb8;

const SIDE: usize = 8;

/// A device, software if there is one. Without any the test fails and says that no adapter was found.
fn gpu() -> RenderState {
    create_render_state(default_wgpu_setup(), RendererOptions::PREDICTABLE)
}

/// Smooth and coarse at once, light and dark, so that every mix shows.
fn picture(seed: usize) -> Arc<Picture> {
    let colour = |x: usize, y: usize, k: usize| ((x * 4 + k * 60 + seed * 17) ^ (y * 3 + k * k * 29)) as u8;
    let pixels = (0..64 * 64).flat_map(|i| [0, 1, 2].map(|k| colour(i % 64, i / 64, k))).collect();
    Arc::new(Picture::new(Rgb8::new(64, 64, pixels).unwrap()).unwrap())
}

/// From -2 to 2, with a NaN and both infinities.
fn map(seed: usize) -> Arc<TokenMap> {
    let mut values: Vec<f32> = (0..64).map(|i| ((i * 37 + seed) % 64) as f32 / 16.0 - 2.0).collect();
    (values[9], values[27], values[62]) = (f32::NAN, f32::INFINITY, f32::NEG_INFINITY);
    Arc::new(TokenMap::new(SIDE, values).unwrap())
}

fn order() -> Arc<TokenMap> {
    Arc::new(TokenMap::new(SIDE, (0..64).map(|i| ((i * 29) % 64 / 8) as f32).collect()).unwrap())
}

fn mask() -> Arc<TokenMask> {
    let when = |share: fn(usize) -> bool| (0..64).map(share).collect::<Vec<bool>>();
    let mask = TokenMask::new(SIDE).unwrap().with_selected(&when(|i| i % 5 == 0)).unwrap();
    let mask = mask.with_kept(&when(|i| i % 3 != 1)).unwrap();
    Arc::new(mask.with_brushed(&when(|i| i % 8 > 3 && i / 8 > 2 && i != 53)).unwrap())
}

fn second() -> Second {
    Second { picture: picture(5), map: Some(map(11)), mask: Some(mask()) }
}

/// Everything an overlay can show, one thing or several at a time.
fn overlays() -> Vec<(&'static str, Overlay)> {
    let none = Overlay::none(SIDE);
    let range = ValueRange { low: -2.0, high: 2.0 };
    let mapped = Overlay { map: Some(map(0)), range, ..none.clone() };
    let built = |ar_step| Some(Built { order: order(), ar_step });
    let swipe = |split| Comparison::Swipe { second: second(), split };
    let mut all: Vec<(&'static str, Overlay)> = ColourMap::ALL
        .into_iter()
        .map(|colours| (colours.name(), Overlay { colours, ..mapped.clone() }))
        .collect();
    all.extend([
        ("nothing", none.clone()),
        ("smooth picture", Overlay { smooth_picture: true, ..none.clone() }),
        ("opaque smooth map", Overlay { opacity: 1.0, smooth_map: true, ..mapped.clone() }),
        ("threshold", Overlay { threshold: Some(0.25), dim: 0.7, grid: true, ..mapped.clone() }),
        ("empty range", Overlay { range: ValueRange { low: 1.0, high: 1.0 }, ..mapped.clone() }),
        ("mask", Overlay { mask: Some(mask()), ..none.clone() }),
        ("mask on map", Overlay { mask: Some(mask()), selected: Some(37), grid: true, ..mapped.clone() }),
        ("first AR step", Overlay { built: built(0), ..mapped.clone() }),
        ("fourth AR step", Overlay { built: built(3), grid: true, mask: Some(mask()), ..none.clone() }),
        ("swipe", Overlay { comparison: swipe(0.4), mask: Some(mask()), grid: true, ..mapped.clone() }),
        ("swipe to the end", Overlay { comparison: swipe(1.0), ..mapped.clone() }),
        (
            "difference",
            Overlay { comparison: Comparison::Difference { second: second(), gain: 2.0 }, ..none.clone() },
        ),
    ]);
    let signed = Comparison::SignedDifference { second: second(), gain: 3.0 };
    all.push(("signed difference", Overlay { comparison: signed, grid: true, ..none }));
    all
}

/// What the window draws: pictures in a row.
struct Scene {
    renderer: OverlayRenderer,
    shown: Vec<(Arc<Picture>, Overlay)>,
    view: ImageView,
    rects: Vec<Rect>,
}

fn window(bound_bytes: usize, view: ImageView) -> Harness<'static, Scene> {
    let state = gpu();
    let renderer = OverlayRenderer::install_with_bound(&state, bound_bytes);
    let scene = Scene { renderer, shown: Vec::new(), view, rects: Vec::new() };
    Harness::builder()
        .with_size(Vec2::new(1400.0, 560.0))
        .renderer(WgpuTestRenderer::from_render_state(state))
        .build_ui_state(
            |ui, scene: &mut Scene| {
                scene.rects.clear();
                ui.horizontal(|ui| {
                    for (i, (picture, overlay)) in scene.shown.iter().enumerate() {
                        let name = format!("Picture {i}");
                        let image = image_ui(ui, Some(&scene.renderer), picture, overlay, scene.view, &name);
                        scene.rects.push(image.response.rect);
                    }
                });
            },
            scene,
        )
}

/// The pictures as drawn.
fn drawn(window: &mut Harness<'static, Scene>) -> Vec<Rgb8> {
    window.step();
    let frame = window.render().unwrap();
    let cut = |rect: &Rect| {
        let (width, height) = (rect.width() as u32, rect.height() as u32);
        let (left, top) = (rect.min.x as u32, rect.min.y as u32);
        let pixels = (0..width * height).flat_map(|i| {
            let [r, g, b, _] = frame.get_pixel(left + i % width, top + i / width).0;
            [r, g, b]
        });
        Rgb8::new(width as usize, height as usize, pixels.collect()).unwrap()
    };
    window.state().rects.iter().map(cut).collect()
}

/// At least 99.9 % of the pixels within 1 / 255: the rest is for devices that round a place on an edge otherwise.
fn assert_same(name: &str, gpu: &Rgb8, cpu: &Rgb8) {
    assert_eq!((gpu.width, gpu.height), (cpu.width, cpu.height), "{name}");
    let differs = |i: &usize| (0..3).any(|k| gpu.pixels[3 * i + k].abs_diff(cpu.pixels[3 * i + k]) > 1);
    let wrong: Vec<usize> = (0..gpu.width * gpu.height).filter(differs).collect();
    let few = wrong.len() * 1000 <= gpu.width * gpu.height;
    let first = wrong.first().map(|i| {
        let (x, y) = (i % gpu.width, i / gpu.width);
        format!("at ({x}, {y}) {:?}, not {:?}", gpu.pixel(x, y), cpu.pixel(x, y))
    });
    assert!(few, "{name}: {} pixels of {} differ, {first:?}", wrong.len(), gpu.width * gpu.height);
}

#[test]
fn the_shader_draws_what_the_cpu_composes() {
    let picture = picture(0);
    for magnification in [1, 2, 5, 8] {
        let mut window = window(1 << 20, ImageView::square((64 * magnification) as f32));
        for (name, overlay) in overlays() {
            window.state_mut().shown = vec![(Arc::clone(&picture), overlay.clone())];
            let composed = compose(&picture, &overlay, magnification).unwrap();
            assert_same(&format!("{name} x {magnification}"), &drawn(&mut window)[0], &composed);
        }
    }
}

#[test]
fn a_part_of_a_picture_is_the_same_part_of_the_whole() {
    let picture = picture(0);
    let uv = Rect::from_min_max(pos2(0.25, 0.5), pos2(0.75, 1.0));
    let mut window = window(1 << 20, ImageView { size: Vec2::splat(256.0), uv });
    for (name, overlay) in overlays().into_iter().filter(|(name, _)| !name.starts_with("swipe")) {
        window.state_mut().shown = vec![(Arc::clone(&picture), overlay.clone())];
        let whole = compose(&picture, &overlay, 8).unwrap();
        let pixels = (0..256 * 256).flat_map(|i| whole.pixel(128 + i % 256, 256 + i / 256)).collect();
        assert_same(name, &drawn(&mut window)[0], &Rgb8::new(256, 256, pixels).unwrap());
    }
}

#[test]
fn a_large_picture_drawn_small_is_averaged_and_beyond_it_nothing_is_drawn() {
    let stripes = (0..128 * 128).flat_map(|i| if i % 2 == 0 { [200, 40, 0] } else { [0, 80, 100] }).collect();
    let stripes = Arc::new(Picture::new(Rgb8::new(128, 128, stripes).unwrap()).unwrap());
    let mut window = window(1 << 20, ImageView::square(64.0));
    window.state_mut().shown = vec![(stripes, Overlay::none(SIDE))];
    assert_eq!(drawn(&mut window)[0], Rgb8::filled(64, 64, [100, 60, 50]));

    window.state_mut().view.uv = Rect::from_min_max(pos2(-0.5, -0.5), pos2(1.5, 1.5));
    let [r, g, b, _] = window.ctx.global_style().visuals.panel_fill.to_array();
    window.state_mut().shown =
        vec![(Arc::new(Picture::new(Rgb8::filled(4, 4, [255, 0, 255])).unwrap()), Overlay::none(0))];
    let image = &drawn(&mut window)[0];
    assert_eq!(image.pixel(15, 32), [r, g, b]);
    assert_eq!(image.pixel(16, 16), [255, 0, 255]);
    assert_eq!(image.pixel(47, 47), [255, 0, 255]);
    assert_eq!(image.pixel(48, 32), [r, g, b]);
}

#[test]
fn eight_pictures_in_one_frame_each_show_their_own_layers() {
    let mut window = window(1 << 20, ImageView::square(128.0));
    let overlays = overlays();
    let shown: Vec<_> = (0..8).map(|i| (picture(i), overlays[2 * i].1.clone())).collect();
    window.state_mut().shown.clone_from(&shown);
    for (i, (gpu, (picture, overlay))) in drawn(&mut window).iter().zip(&shown).enumerate() {
        assert_same(&format!("picture {i}"), gpu, &compose(picture, overlay, 2).unwrap());
    }
}

#[test]
fn a_frame_uploads_only_what_changed() {
    let mut window = window(1 << 20, ImageView::square(128.0));
    let overlay = Overlay { mask: Some(mask()), map: Some(map(0)), ..Overlay::none(SIDE) };
    window.state_mut().shown = (0..8).map(|i| (picture(i), overlay.clone())).collect();
    drawn(&mut window);
    let first = window.state().renderer.counts();
    // Eight pictures, and one map and one mask that they share.
    assert_eq!((first.textures, first.uniforms, first.draws), (10, 1, 8));
    assert_eq!(first.texture_bytes, 8 * 64 * 64 * 4 + 64 * 4 + 64);

    // The same content made anew is the same content.
    let overlay = Overlay { mask: Some(mask()), map: Some(map(0)), ..Overlay::none(SIDE) };
    window.state_mut().shown = (0..8).map(|i| (picture(i), overlay.clone())).collect();
    drawn(&mut window);
    assert_eq!(window.state().renderer.counts(), first);

    window.state_mut().shown[3].1.map = Some(map(1));
    window.state_mut().shown[5].1.threshold = Some(0.0);
    drawn(&mut window);
    let second = window.state().renderer.counts();
    assert_eq!((second.textures, second.texture_bytes), (first.textures + 1, first.texture_bytes + 64 * 4));
    assert_eq!(second.uniforms, first.uniforms + 1);
}

#[test]
fn textures_stay_under_the_bound_but_a_frame_gets_all_it_draws() {
    let bound = 4 * 64 * 64 * 4;
    let mut window = window(bound, ImageView::square(64.0));
    for i in 0..20 {
        window.state_mut().shown = vec![(picture(i), Overlay::none(SIDE))];
        drawn(&mut window);
    }
    let counts = window.state().renderer.counts();
    assert_eq!((counts.textures, counts.kept_textures, counts.kept_bytes), (20, 4, bound));

    // The last four are still there, the one before them is not.
    for (i, uploads) in [(16, 20), (19, 20), (15, 21)] {
        window.state_mut().shown = vec![(picture(i), Overlay::none(SIDE))];
        drawn(&mut window);
        assert_eq!(window.state().renderer.counts().textures, uploads, "picture {i}");
    }

    window.state_mut().shown = (30..40).map(|i| (picture(i), Overlay::none(SIDE))).collect();
    for (gpu, i) in drawn(&mut window).iter().zip(30..) {
        assert_same("more than the bound", gpu, picture(i).image());
    }
    let counts = window.state().renderer.counts();
    drawn(&mut window);
    assert_eq!(window.state().renderer.counts(), counts, "a frame over the bound is not uploaded again");
}

#[test]
fn more_draws_than_the_first_ring_holds_are_all_drawn() {
    let mut window = window(16 << 20, ImageView::square(8.0));
    let flat = |i: u8| Arc::new(Picture::new(Rgb8::filled(8, 8, [i, 255 - i, 2])).unwrap());
    window.state_mut().shown = (0..80).map(|i| (flat(i), Overlay::none(0))).collect();
    for (image, i) in drawn(&mut window).iter().zip(0..) {
        assert_eq!(*image, *flat(i).image(), "picture {i}");
    }
}

/// The colours of 256 values of each map, computed by the device.
fn colours_of_the_device(state: &RenderState) -> Vec<f32> {
    let source = format!(
        "{SHADER}
        @group(0) @binding(1) var<storage, read_write> colours: array<vec4<f32>>;
        @compute @workgroup_size(64)
        fn fill(@builtin(global_invocation_id) id: vec3<u32>) {{
            colours[id.x] = vec4(colour_map(id.x / 256u, f32(id.x % 256u) / 255.0), 1.0);
        }}"
    );
    let device = &state.device;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("fill"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let size = (ColourMap::ALL.len() * 256 * 16) as u64;
    let buffer = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    };
    let colours = buffer(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    let read = buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 1, resource: colours.as_entire_binding() }],
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups((ColourMap::ALL.len() * 4) as u32, 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&colours, 0, &read, 0, size);
    state.queue.submit([encoder.finish()]);
    read.slice(..).map_async(wgpu::MapMode::Read, |result| result.unwrap());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    bytemuck::cast_slice(&read.slice(..).get_mapped_range().unwrap()).to_vec()
}

#[test]
fn both_languages_give_every_value_the_same_colour() {
    let colours = colours_of_the_device(&gpu());
    for (map, of_map) in ColourMap::ALL.into_iter().zip(colours.chunks_exact(4 * 256)) {
        for (value, gpu) in of_map.chunks_exact(4).enumerate() {
            let cpu = map.colour(value as f32 / 255.0);
            let near = gpu.iter().zip(cpu).all(|(a, b)| (a - b).abs() <= 1.0 / 255.0);
            assert!(near && gpu[3] == 1.0, "{} at {value}: {gpu:?}, not {cpu:?}", map.name());
        }
    }
}
