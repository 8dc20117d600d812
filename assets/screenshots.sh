#!/usr/bin/env bash
# Makes the README's pictures of the window: trains two short runs, and opens the window on them. Needs a display; on a machine
# without one, run it under `xvfb-run -s "-screen 0 1600x1000x24"`.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
marscope() { cargo run --quiet --release -- "$@"; }

marscope train --run "$runs/mar_grpo" --device cpu --seed 0
marscope train --run "$runs/grpo" --device cpu --seed 0 --variant grpo
picture() { marscope window --fresh --size 1440x900 "$@"; }
for theme in dark light; do
  picture --theme $theme --tab live --iteration 14 --screenshot "assets/window-live-$theme.png" "$runs/mar_grpo"
done
picture --theme dark --tab inspect --iteration 20 --picture 3 --token 27 --screenshot assets/window-inspect.png "$runs/mar_grpo"
picture --theme light --tab compare --iteration 29 --screenshot assets/window-compare.png "$runs/mar_grpo" "$runs/grpo"
