//! Shaders are valid, and name what Rust names.

#![cfg(feature = "gui")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use marscope::ui::overlay::{ColourMap, SHADER};
use naga::valid::{Capabilities, ValidationFlags, Validator};

fn validated(name: &str, source: &str) -> naga::Module {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
    module
}

/// Every module-level `const NAME: u32`.
fn constants(module: &naga::Module) -> BTreeMap<String, u32> {
    let value = |constant: &naga::Constant| match module.global_expressions[constant.init] {
        naga::Expression::Literal(naga::Literal::U32(value)) => Some(value),
        _ => None,
    };
    let named = module.constants.iter().map(|(_, constant)| constant);
    named.filter_map(|c| Some((c.name.clone()?, value(c)?))).collect()
}

#[test]
fn every_shader_is_valid_without_any_device_feature() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        assert!(SHADER.contains(&text), "{name} is not part of what is compiled");
        names.push(name);
    }
    names.sort();
    assert_eq!(names, ["colormap.wgsl", "overlay.wgsl"]);
    let module = validated("the overlay shader", SHADER);
    let entries: Vec<&str> = module.entry_points.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(entries, ["vertex_main", "fragment_gamma", "fragment_linear"]);
    // The colour maps alone are a whole module too.
    let colours =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/colormap.wgsl")).unwrap();
    validated("colormap.wgsl", &colours);
}

#[test]
fn colour_maps_have_the_same_ids_in_both_languages() {
    let constants = constants(&validated("the overlay shader", SHADER));
    for map in ColourMap::ALL {
        let name = map.name().to_uppercase();
        assert_eq!(constants.get(&name), Some(&map.id()), "{name}");
    }
}
