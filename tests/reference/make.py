"""Writes the numbers that `tests/reference.rs` compares the model with.

    pip install torch safetensors numpy
    python tests/reference/make.py [--sde FLOW_SDE_STEP.safetensors]

PyTorch on the CPU, fixed seeds. Networks are float32, schedules float64 except where the original is float32. The networks
are written from their published formulas (LTH14/mar, NOVA, Harmon), not from the Rust sources. Weights carry the
parameter paths of the Rust modules. A linear weight is `[in, out]`, as burn keeps it; pictures are stored channels last.
`grad.P` is the derivative of `sum(output * g)` with respect to `P`. What half precision holds exactly is stored in it;
weights and inputs are drawn so.

`flow_sde_step.safetensors` was made with the SDE function of the released MAR-GRPO code (25 steps, shift 1 and 3, x, v,
next -> mean, std, logp); `--sde` copies a newer one.
"""

import argparse
import math
import shutil
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

from schedules import schedules

HERE = Path(__file__).parent
EPSILON = 1e-6


class Weights(dict):
    """Random weights by path, and other draws, all rounded to half precision to keep the files small."""

    def __init__(self, seed):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape):
        return torch.randn(shape, generator=self.generator).half().float()

    def add(self, path, value):
        self[path] = value.half().float().requires_grad_()

    def linear(self, path, inputs, outputs):
        self.add(f"{path}.weight", self.normal(inputs, outputs) / math.sqrt(inputs))
        self.add(f"{path}.bias", 0.2 * self.normal(outputs))

    def conv(self, path, inputs, outputs, kernel):
        fan_in = inputs * kernel * kernel
        self.add(f"{path}.weight", self.normal(outputs, inputs, kernel, kernel) / math.sqrt(fan_in))
        self.add(f"{path}.bias", 0.2 * self.normal(outputs))

    def norm(self, path, channels):
        self.add(f"{path}.gamma", 1 + 0.2 * self.normal(channels))
        self.add(f"{path}.beta", 0.2 * self.normal(channels))


def linear(w, path, x):
    return F.linear(x, w[f"{path}.weight"].T, w[f"{path}.bias"])


def layer_norm(w, path, x):
    return F.layer_norm(x, x.shape[-1:], w[f"{path}.gamma"], w[f"{path}.beta"], EPSILON)


def conv(w, path, x, stride=1, padding=None):
    weight = w[f"{path}.weight"]
    padding = weight.shape[-1] // 2 if padding is None else padding
    return F.conv2d(x, weight, w[f"{path}.bias"], stride=stride, padding=padding)


def gelu(x):
    return F.gelu(x, approximate="tanh")


def compact(value):
    exact = value.dtype == torch.float32 and torch.equal(value.half().float(), value)
    return (value.half() if exact else value).contiguous()


def save(name, weights, tensors, gradients=None):
    """Weights under `weights.`, gradients under `grad.`, the rest by name."""
    out = {f"weights.{path}": value for path, value in weights.items()}
    out |= {f"grad.{path}": value for path, value in (gradients or {}).items()}
    out |= tensors
    out = {path: compact(value.detach()) for path, value in out.items()}
    assert all(value.double().isfinite().all() for value in out.values())
    save_file(out, HERE / f"{name}.safetensors")


def gradients_of(output, g, inputs, weights):
    """Derivatives of `sum(output * g)` by name."""
    named = inputs | weights
    values = torch.autograd.grad((output * g).sum(), list(named.values()))
    # A derivative that is zero but for rounding, as of a bias before a norm, would compare noise.
    assert all(value.abs().max() > 1e-3 for value in values)
    return dict(zip(named, values))


# Transformer


def add_attention(w, path, width):
    w.linear(f"{path}qkv", width, 3 * width)
    w.linear(f"{path}out", width, width)


def attention(w, path, x, heads):
    batch, tokens, width = x.shape
    qkv = linear(w, f"{path}qkv", x).view(batch, tokens, 3, heads, width // heads)
    q, k, v = qkv.permute(2, 0, 3, 1, 4)
    mixed = F.scaled_dot_product_attention(q, k, v)
    return linear(w, f"{path}out", mixed.transpose(1, 2).reshape(batch, tokens, width))


def add_block(w, path, width):
    w.norm(f"{path}norm1", width)
    add_attention(w, f"{path}attention.", width)
    w.norm(f"{path}norm2", width)
    w.linear(f"{path}mlp.fc1", width, 4 * width)
    w.linear(f"{path}mlp.fc2", 4 * width, width)


def block(w, path, x, heads):
    """Pre-norm block: each branch reads the normalised stream and adds to it."""
    x = x + attention(w, f"{path}attention.", layer_norm(w, f"{path}norm1", x), heads)
    hidden = gelu(linear(w, f"{path}mlp.fc1", layer_norm(w, f"{path}norm2", x)))
    return x + linear(w, f"{path}mlp.fc2", hidden)


def make_attention():
    width, heads, w = 32, 4, Weights(1)
    add_attention(w, "", width)
    x = w.normal(2, 11, width).requires_grad_()
    output = attention(w, "", x, heads)
    g = w.normal(*output.shape)
    save("attention", w, {"x": x, "output": output, "g": g}, gradients_of(output, g, {"x": x}, w))


SIDE, CHANNELS, WIDTH, HEADS, DEPTH = 3, 4, 16, 4, 1
SLOTS, VOCABULARY, OBJECTS = 6, 25, [(1, 2, 3), (4, 5, 3)]


def transformer_weights():
    w = Weights(2)
    w.add("text.words", 0.5 * w.normal(VOCABULARY, WIDTH))
    w.add("text.slots", 0.2 * w.normal(SLOTS + len(OBJECTS), WIDTH))
    w.add("text.roles", 0.5 * w.normal(len(OBJECTS), 3 * WIDTH))
    w.linear("text.bind1", 3 * WIDTH, 2 * WIDTH)
    w.linear("text.bind2", 2 * WIDTH, WIDTH)
    w.linear("token", CHANNELS, WIDTH)
    w.add("mask_token", 0.3 * w.normal(WIDTH))
    w.conv("stem1", CHANNELS + 1, WIDTH, 5)
    w.conv("stem2", WIDTH, WIDTH, 3)
    w.add("positions", 0.5 * w.normal(SIDE * SIDE, WIDTH))
    for i in range(DEPTH):
        add_block(w, f"blocks.{i}.", WIDTH)
    w.norm("norm", WIDTH)
    return w


def text_prefix(w, captions):
    """One token a caption slot, then one for each object: its colour, shape and link, and its role."""
    words = F.embedding(captions, w["text.words"])
    objects = torch.stack([words[:, list(slots)].flatten(1) for slots in OBJECTS], 1) + w["text.roles"]
    bound = linear(w, "text.bind2", gelu(linear(w, "text.bind1", objects)))
    return torch.cat([words, bound], 1) + w["text.slots"]


def transformer(w, captions, latents, known):
    is_known = known.bool()[..., None]
    tokens = torch.where(is_known, linear(w, "token", latents), w["mask_token"])
    visible = torch.where(is_known, latents, torch.zeros(()))
    grid = torch.cat([visible, known[..., None]], -1).transpose(1, 2)
    first = conv(w, "stem1", grid.unflatten(2, (SIDE, SIDE)))
    stem = first + conv(w, "stem2", gelu(first))
    tokens = tokens + stem.flatten(2).transpose(1, 2) + w["positions"]
    prefix = text_prefix(w, captions)
    x = torch.cat([prefix, tokens], 1)
    for i in range(DEPTH):
        x = block(w, f"blocks.{i}.", x, HEADS)
    return layer_norm(w, "norm", x)[:, prefix.shape[1] :]


def sin_cos_2d(side, width):
    """Quarters of the channels: sin x, cos x, sin y, cos y, frequencies 100^(-i / quarter); rows of the grid first."""
    quarter = width // 4
    frequencies = 100.0 ** (-torch.arange(quarter, dtype=torch.float64) / quarter)
    y, x = torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")
    x, y = (axis.reshape(-1, 1) * frequencies for axis in (x, y))
    return torch.cat([x.sin(), x.cos(), y.sin(), y.cos()], 1)


def make_transformer():
    w = transformer_weights()
    captions = torch.tensor([[1, 5, 14, 20, 8, 16], [0, 13, 15, 0, 0, 0], [0] * SLOTS])
    latents = w.normal(3, SIDE * SIDE, CHANNELS).requires_grad_()
    known = torch.zeros(3, SIDE * SIDE)
    known[0, [0, 4, 5]] = 1
    known[2, [1, 2, 3, 6, 7, 8]] = 1
    output = transformer(w, captions, latents, known)
    g = w.normal(*output.shape)
    tensors = {"captions": captions, "latents": latents, "known": known, "output": output, "g": g}
    tensors["sin_cos_2d"] = sin_cos_2d(SIDE, WIDTH)
    save("transformer", w, tensors, gradients_of(output, g, {"latents": latents}, w))


# Diffusion head


def head_weights(width, depth, channels, condition, features):
    w = Weights(3)
    w.linear("time.fc1", features, width)
    w.linear("time.fc2", width, width)
    w.linear("condition", condition, width)
    w.linear("input", channels, width)
    for i in range(depth):
        w.norm(f"blocks.{i}.norm", width)
        w.linear(f"blocks.{i}.modulation", width, 3 * width)
        w.linear(f"blocks.{i}.fc1", width, width)
        w.linear(f"blocks.{i}.fc2", width, width)
    w.norm("final_norm", width)
    w.linear("final_modulation", width, 2 * width)
    w.linear("output", width, channels)
    return w


def head(w, x, z, times, depth, frequencies):
    """SimpleMLPAdaLN of LTH14/mar, with a time range and a final norm of our own."""
    angles = times[:, None] * frequencies
    features = torch.cat([angles.cos(), angles.sin()], 1)
    time = linear(w, "time.fc2", F.silu(linear(w, "time.fc1", features)))
    condition = F.silu(time + linear(w, "condition", z))
    h = linear(w, "input", x)
    for i in range(depth):
        shift, scale, gate = linear(w, f"blocks.{i}.modulation", condition).chunk(3, -1)
        inner = layer_norm(w, f"blocks.{i}.norm", h) * (1 + scale) + shift
        h = h + gate * linear(w, f"blocks.{i}.fc2", F.silu(linear(w, f"blocks.{i}.fc1", inner)))
    shift, scale = linear(w, "final_modulation", condition).chunk(2, -1)
    return linear(w, "output", layer_norm(w, "final_norm", h) * (1 + scale) + shift)


def make_head():
    width, depth, channels, condition, features = 32, 2, 6, 24, 16
    w = head_weights(width, depth, channels, condition, features)
    half = features // 2
    frequencies = (2 * 200 ** (torch.arange(half, dtype=torch.float64) / (half - 1))).float()
    # Sums of powers of two: the products with the frequencies, up to 400 radians, round little.
    times = torch.tensor([1.0, 0.75, 0.5, 0.25, 0.125, 0.0])
    rows = len(times)
    x = w.normal(rows, channels).requires_grad_()
    z = w.normal(rows, condition).requires_grad_()
    output = head(w, x, z, times, depth, frequencies)
    g = w.normal(rows, channels)
    tensors = {"x": x, "z": z, "times": times, "output": output, "g": g}
    save("adaln_head", w, tensors, gradients_of(output, g, {"x": x, "z": z}, w))


# Autoencoder


FINE, COARSE, LATENT, EDGE = 8, 16, 4, 32


def group_norm(w, path, x):
    return F.group_norm(x, 8, w[f"{path}.gamma"], w[f"{path}.beta"], EPSILON)


def add_residual(w, path, channels):
    w.norm(f"{path}.norm", channels)
    w.conv(f"{path}.conv1", channels, channels, 3)
    w.conv(f"{path}.conv2", channels, channels, 3)


def residual(w, path, x):
    inner = conv(w, f"{path}.conv1", F.silu(group_norm(w, f"{path}.norm", x)))
    return x + conv(w, f"{path}.conv2", F.silu(inner))


def autoencoder_weights():
    w = Weights(5)
    w.conv("encoder.stem", 48, FINE, 3)
    add_residual(w, "encoder.fine", FINE)
    w.conv("encoder.down", FINE, COARSE, 4)
    add_residual(w, "encoder.coarse", COARSE)
    w.conv("encoder.to_latent", COARSE, LATENT, 1)
    w.add("norm.mean", w.normal(LATENT))
    w.add("norm.std", 0.5 + w.normal(LATENT).abs())
    w.conv("decoder.from_latent", LATENT, COARSE, 3)
    add_residual(w, "decoder.coarse1", COARSE)
    add_residual(w, "decoder.coarse2", COARSE)
    w.conv("decoder.up", COARSE, 4 * FINE, 1)
    add_residual(w, "decoder.fine1", FINE)
    add_residual(w, "decoder.fine2", FINE)
    w.norm("decoder.norm", FINE)
    w.conv("decoder.to_edges", FINE, 4 * EDGE, 3)
    w.conv("decoder.to_pixels", EDGE, 12, 3)
    return w


def encode(w, images):
    x = conv(w, "encoder.stem", F.pixel_unshuffle(images - 0.5, 4))
    x = conv(w, "encoder.down", residual(w, "encoder.fine", x), stride=2, padding=1)
    return conv(w, "encoder.to_latent", residual(w, "encoder.coarse", x))


def decode(w, latents):
    x = conv(w, "decoder.from_latent", latents)
    x = residual(w, "decoder.coarse2", residual(w, "decoder.coarse1", x))
    x = F.pixel_shuffle(conv(w, "decoder.up", x), 2)
    x = residual(w, "decoder.fine2", residual(w, "decoder.fine1", x))
    x = F.pixel_shuffle(conv(w, "decoder.to_edges", F.silu(group_norm(w, "decoder.norm", x))), 2)
    return F.pixel_shuffle(conv(w, "decoder.to_pixels", F.silu(x)), 2) + 0.5


# Kinds of layers and positions that the transformer's gradients do not cover.
DIFFERENTIATED = {
    "raw": ("encoder.down", "encoder.to_latent", "encoder.coarse.norm", "encoder.stem.bias"),
    "decoded": ("decoder.from_latent", "decoder.norm", "decoder.up.bias", "decoder.to_edges.bias"),
    "by_batch": (),
}


def channels_last(x):
    return x.permute(0, 2, 3, 1)


def make_autoencoder():
    w = autoencoder_weights()
    images = (w.normal(1, 3, 16, 24).sigmoid().half().float()).requires_grad_()
    raw = encode(w, images)
    tokens = ((raw - w["norm.mean"][:, None, None]) / w["norm.std"][:, None, None]).flatten(2).transpose(1, 2)
    latents = w.normal(2, LATENT, 1, 2).requires_grad_()
    decoded = decode(w, latents)
    uneven = (3 * w.normal(3, LATENT, 2, 2) + 1).half().float().requires_grad_()
    by_batch = F.batch_norm(uneven, None, None, training=True, eps=1e-5)
    tensors = {"images": images, "raw": raw, "latents": latents, "decoded": decoded}
    tensors |= {"uneven": uneven, "by_batch": by_batch}
    gradients = {}
    for output, source in (("raw", "images"), ("decoded", "latents"), ("by_batch", "uneven")):
        g = w.normal(*tensors[output].shape)
        paths = [path for path in w if path.startswith(DIFFERENTIATED[output])]
        held = gradients_of(tensors[output], g, {source: tensors[source]}, {path: w[path] for path in paths})
        gradients |= held | {source: channels_last(held[source])}
        tensors[f"g.{output}"] = g
    tensors = {name: channels_last(value) for name, value in tensors.items()}
    save("conv_blocks", w, tensors | {"tokens": tokens}, gradients)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sde", type=Path, help="a newer flow_sde_step.safetensors to copy")
    arguments = parser.parse_args()
    for make in (make_attention, make_transformer, make_head, make_autoencoder):
        make()
    save("schedules", {}, schedules(Weights(4).normal))
    if arguments.sde:
        shutil.copyfile(arguments.sde, HERE / "flow_sde_step.safetensors")


if __name__ == "__main__":
    main()
