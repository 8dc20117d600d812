"""The networks of marscope's default configuration as PyTorch modules."""

import math

import torch
import torch.nn.functional as F
from torch import nn

SIDE, CHANNELS, WIDTH, DEPTH, HEADS = 8, 16, 128, 6, 4
TOKENS = SIDE * SIDE
SLOTS, VOCABULARY, OBJECTS = 6, 25, [(1, 2, 3), (4, 5, 3)]
HEAD_WIDTH, HEAD_DEPTH, TIME_FEATURES = 128, 3, 64
FINE, COARSE, EDGE = 48, 96, 32


def gelu(x):
    return F.gelu(x, approximate="tanh")


class Block(nn.Module):
    """Pre-norm transformer block."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, eps=1e-6), nn.LayerNorm(WIDTH, eps=1e-6)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.fc1, self.fc2 = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def attention(self, x):
        q, k, v = self.qkv(x).unflatten(2, (3, HEADS, WIDTH // HEADS)).permute(2, 0, 3, 1, 4)
        return self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.fc2(gelu(self.fc1(self.norm2(x))))


class Text(nn.Module):
    """One token a caption slot and one for each (colour, shape) pair."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.slots = nn.Parameter(0.2 * torch.randn(SLOTS + len(OBJECTS), WIDTH))
        self.roles = nn.Parameter(0.5 * torch.randn(len(OBJECTS), 3 * WIDTH))
        self.bind1, self.bind2 = nn.Linear(3 * WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, captions):
        words = self.words(captions)
        objects = words[:, [slot for slots in OBJECTS for slot in slots]].view(-1, len(OBJECTS), 3 * WIDTH)
        return torch.cat([words, self.bind2(gelu(self.bind1(objects + self.roles)))], 1) + self.slots


class Mar(nn.Module):
    """Bidirectional transformer over `[caption prefix | image tokens]`, with a convolution over the known latents."""

    def __init__(self):
        super().__init__()
        self.text = Text()
        self.token = nn.Linear(CHANNELS, WIDTH)
        self.mask_token = nn.Parameter(0.3 * torch.randn(WIDTH))
        self.stem1 = nn.Conv2d(CHANNELS + 1, WIDTH, 5, padding=2)
        self.stem2 = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.positions = nn.Parameter(0.3 * torch.randn(TOKENS, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-6)

    def stem(self, tokens):
        f = self.stem1(tokens.transpose(1, 2).unflatten(2, (SIDE, SIDE)))
        return (f + self.stem2(gelu(f))).flatten(2).transpose(1, 2)

    def forward(self, captions, latents, known):
        known = known[..., None]
        latents = latents * known
        embedded = torch.lerp(self.mask_token.expand(*latents.shape[:2], -1), self.token(latents), known)
        embedded = embedded + self.stem(torch.cat([latents, known], 2)) + self.positions
        x = torch.cat([self.text(captions), embedded], 1)
        for block in self.blocks:
            x = block(x)
        return self.norm(x[:, -TOKENS:])


class TimeEmbedding(nn.Module):
    """Two linear layers over cosines and sines of the time."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(TIME_FEATURES, HEAD_WIDTH), nn.Linear(HEAD_WIDTH, HEAD_WIDTH)
        frequencies = torch.logspace(math.log10(2), math.log10(400), TIME_FEATURES // 2)
        self.register_buffer("frequencies", frequencies, persistent=False)

    def forward(self, times):
        angles = times[:, None] * self.frequencies
        return self.fc2(F.silu(self.fc1(torch.cat([angles.cos(), angles.sin()], 1))))


class AdaLnBlock(nn.Module):
    """Perceptron on a normalised, shifted and scaled input, added through a gate."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(HEAD_WIDTH, eps=1e-6)
        self.modulation = nn.Linear(HEAD_WIDTH, 3 * HEAD_WIDTH)
        self.fc1, self.fc2 = nn.Linear(HEAD_WIDTH, HEAD_WIDTH), nn.Linear(HEAD_WIDTH, HEAD_WIDTH)

    def forward(self, x, modulation):
        shift, scale, gate = modulation.chunk(3, -1)
        inner = torch.addcmul(shift, self.norm(x), 1 + scale)
        return torch.addcmul(x, gate, self.fc2(F.silu(self.fc1(inner))))


class Head(nn.Module):
    """SimpleMLPAdaLN; takes the projected condition and the embedded times, which do not change from step to step."""

    def __init__(self):
        super().__init__()
        self.time = TimeEmbedding()
        self.condition = nn.Linear(WIDTH, HEAD_WIDTH)
        self.input = nn.Linear(CHANNELS, HEAD_WIDTH)
        self.blocks = nn.ModuleList(AdaLnBlock() for _ in range(HEAD_DEPTH))
        self.final_norm = nn.LayerNorm(HEAD_WIDTH, eps=1e-6)
        self.final_modulation = nn.Linear(HEAD_WIDTH, 2 * HEAD_WIDTH)
        self.output = nn.Linear(HEAD_WIDTH, CHANNELS)

    def modulation(self, condition, time):
        """What the condition does to each layer in turn; noisy latents with the same condition and time share it."""
        condition = F.silu(condition + time)
        for block in self.blocks:
            yield block.modulation(condition)
        yield self.final_modulation(condition)

    def denoise(self, x, modulation):
        h = self.input(x)
        for block in self.blocks:
            h = block(h, next(modulation))
        shift, scale = next(modulation).chunk(2, -1)
        return self.output(torch.addcmul(shift, self.final_norm(h), 1 + scale))

    def forward(self, x, condition, time):
        return self.denoise(x, self.modulation(condition, time))


class Generator(nn.Module):
    """Transformer and head."""

    def __init__(self):
        super().__init__()
        self.mar, self.head = Mar(), Head()


class Residual(nn.Module):
    """Group norm and two 3 x 3 convolutions, added to their input."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(8, channels, eps=1e-6)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + self.conv2(F.silu(self.conv1(F.silu(self.norm(x)))))


class Decoder(nn.Module):
    """Latent tokens to pictures."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(CHANNELS, COARSE, 3, padding=1),
            Residual(COARSE),
            Residual(COARSE),
            nn.Conv2d(COARSE, 4 * FINE, 1),
            nn.PixelShuffle(2),
            Residual(FINE),
            Residual(FINE),
            nn.GroupNorm(8, FINE, eps=1e-6),
            nn.SiLU(),
            nn.Conv2d(FINE, 4 * EDGE, 3, padding=1),
            nn.PixelShuffle(2),
            nn.SiLU(),
            nn.Conv2d(EDGE, 12, 3, padding=1),
            nn.PixelShuffle(2),
        )

    def forward(self, tokens):
        return self.layers(tokens.transpose(1, 2).unflatten(2, (SIDE, SIDE))) + 0.5
