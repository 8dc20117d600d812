"""The default model of marscope in PyTorch, timed: one pretraining step and one sampling run of eight pictures.

    pip install torch safetensors numpy
    python benches/pytorch/bench.py
    python benches/pytorch/bench.py --marscope target/release/marscope --json bench.json

Eager float32 on the CPU with two threads, written as PyTorch is usually written for speed: fused qkv and
`scaled_dot_product_attention`, the whole batch at once, fused AdamW, `inference_mode` for sampling, guidance as one call of
twice the rows. `torch.optim.Muon` (PyTorch 2.9 or later) rounds to bfloat16 inside; where that was measured it was faster
than float32 on stacks of equal matrices, so it stands. The sizes are those of `ModelConfig::default()`. The weights are
random: time does not depend on them.

With `--marscope PATH`, `PATH bench --json` runs before and after the measurement here and the better of its two times
counts. A ratio above 1 means that marscope is faster. Run it on an idle machine: beside one busy program PyTorch's threads
wait for each other and take up to ten times as long, which would flatter marscope.
"""

import argparse
import json
import math
import statistics
import subprocess
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from model import CHANNELS, SLOTS, TOKENS, Decoder, Generator

BATCH, NOISE_DRAWS, MASK_RANGE = 48, 2, 0.92
IMAGES, AR_STEPS, DIFFUSION_STEPS, GUIDANCE = 8, 16, 12, 2.0


def draw_batch():
    """Masked pictures as `src/rl/pretrain/mar.rs` draws them: latents, known flags and two noise draws a masked token."""
    latents = torch.randn(BATCH, TOKENS, CHANNELS)
    known = torch.ones(BATCH, TOKENS)
    for row in known:
        share = math.cos(math.pi / 2 * MASK_RANGE * torch.rand(()).item())
        row[torch.randperm(TOKENS)[: max(1, math.ceil(share * TOKENS))]] = 0
    rows = (known.flatten() == 0).nonzero().squeeze(1).repeat_interleave(NOISE_DRAWS)
    clean, noise = latents.flatten(0, 1)[rows], torch.randn(len(rows), CHANNELS)
    times = torch.sigmoid(1.2 * torch.randn(len(rows)))
    noisy = torch.lerp(clean, noise, times[:, None])
    captions = torch.randint(0, 25, (BATCH, SLOTS))
    return captions, latents, known, rows, times, noisy, noise - clean


def loss_of(model, batch):
    captions, latents, known, rows, times, noisy, targets = batch
    z = model.mar(captions, latents, known).flatten(0, 1)[rows]
    return F.mse_loss(model.head(noisy, model.head.condition(z), model.head.time(times)), targets)


def optimisers(model):
    """Muon for the matrices inside blocks and the head's condition, AdamW for the rest, as `src/rl/optim.rs`."""
    inner = ("condition.weight", "final_modulation.weight", "time.fc2.weight")
    groups = {"muon": [], "decayed": [], "plain": []}
    for name, parameter in model.named_parameters():
        is_matrix = parameter.ndim == 2 and ("blocks." in name or name.endswith(inner))
        groups["muon" if is_matrix else "decayed" if parameter.ndim > 1 else "plain"].append(parameter)
    adamw = [
        {"params": groups["decayed"], "weight_decay": 0.02},
        {"params": groups["plain"], "weight_decay": 0.0},
    ]
    return [
        torch.optim.AdamW(adamw, lr=1.5e-3, betas=(0.9, 0.98), eps=1e-8, fused=True),
        torch.optim.Muon(groups["muon"], lr=0.009, weight_decay=0.02, adjust_lr_fn="match_rms_adamw"),
    ]


def time_pretraining(steps, warm_up):
    """Median seconds of forward, backward, clipping, optimiser and average of weights."""
    torch.manual_seed(0)
    model = Generator()
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.999))
    rules = optimisers(model)
    seconds = []
    for _ in range(warm_up + steps):
        batch = draw_batch()
        started = time.perf_counter()
        loss_of(model, batch).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        for rule in rules:
            rule.step()
        model.zero_grad(set_to_none=True)
        average.update_parameters(model)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds[warm_up:])


def tokens_per_step():
    """Differences of the rounded cosine; steps without a token are dropped."""
    masked = [round(TOKENS * math.cos(math.pi / 2 * i / AR_STEPS)) for i in range(AR_STEPS + 1)]
    return [before - after for before, after in zip(masked, masked[1:]) if before > after]


def denoise(head, z, sigmas, times):
    """Euler steps of the guided velocity; `z` has the rows with a caption first, then as many without."""
    condition = head.condition(z)
    x = torch.randn(len(z) // 2, CHANNELS)
    for step, dt in enumerate(sigmas.diff().tolist()):
        with_caption, without = head(torch.cat([x, x]), condition, times[step]).chunk(2)
        x = x + dt * torch.lerp(without, with_caption, GUIDANCE)
    return x


def sample(model, decoder, captions):
    """Latents by AR steps of several tokens each, then pictures."""
    sigmas = torch.linspace(1, 0, DIFFUSION_STEPS + 1)
    times = model.head.time(sigmas[:-1])
    both = torch.cat([captions, torch.zeros_like(captions)])
    order = torch.rand(IMAGES, TOKENS).argsort(1)
    latents, known = torch.zeros(IMAGES, TOKENS, CHANNELS), torch.zeros(IMAGES, TOKENS)
    first = 0
    for count in tokens_per_step():
        z = model.mar(both, latents.repeat(2, 1, 1), known.repeat(2, 1))
        new = order[:, first : first + count]
        index = new.repeat(2, 1)[..., None].expand(-1, -1, z.shape[2])
        rows = denoise(model.head, z.gather(1, index).flatten(0, 1), sigmas, times)
        latents.scatter_(1, new[..., None].expand(-1, -1, CHANNELS), rows.unflatten(0, (IMAGES, count)))
        known.scatter_(1, new, 1.0)
        first += count
    return decoder(latents)


def time_sampling(runs, warm_up):
    """Median seconds from captions to pictures."""
    torch.manual_seed(1)
    model, decoder = Generator().eval(), Decoder().eval()
    captions = torch.randint(1, 25, (IMAGES, SLOTS))
    seconds = []
    for _ in range(warm_up + runs):
        started = time.perf_counter()
        with torch.inference_mode():
            pictures = sample(model, decoder, captions)
        seconds.append(time.perf_counter() - started)
    assert pictures.shape == (IMAGES, 3, 64, 64) and pictures.isfinite().all()
    return statistics.median(seconds[warm_up:])


def time_marscope(path):
    output = subprocess.run([path, "bench", "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    times = json.loads(output)
    return {name: float(times[name]) for name in ("pretrain_step_s", "sample_8_s")}


def measure(marscope):
    """Seconds by name of each program, and their ratios."""
    before = time_marscope(marscope) if marscope else None
    ours = {"pretrain_step_s": time_pretraining(15, 5), "sample_8_s": time_sampling(5, 1)}
    result = {"threads": torch.get_num_threads(), "torch": torch.__version__, "pytorch": ours}
    if before:
        after = time_marscope(marscope)
        result["marscope"] = {name: min(before[name], after[name]) for name in before}
        result["ratio"] = {name: ours[name] / result["marscope"][name] for name in ours}
    return result


def print_table(result):
    columns = [name for name in ("pytorch", "marscope", "ratio") if name in result]
    print(f"PyTorch {result['torch']}, {result['threads']} threads, seconds")
    print("".join([f"{'':<20}", *(f"{name:>12}" for name in columns)]))
    for name, words in (("pretrain_step_s", "pretraining step"), ("sample_8_s", "sampling 8 pictures")):
        print("".join([f"{words:<20}", *(f"{result[column][name]:>12.4f}" for column in columns)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers to FILE")
    parser.add_argument("--marscope", metavar="PATH", help="the marscope program to compare with")
    parser.add_argument("--threads", type=int, default=2, help="threads of PyTorch, 2 by default")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    result = measure(arguments.marscope)
    print_table(result)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
