"""Flow grids, DDPM steps and token counts from the published formulas, in float64; used by `make.py`."""

import math

import numpy as np
import torch

# Steps of a DDPM run of 25 that are stored, 0 is the noisiest.
STEPS = (0, 1, 12, 23, 24)


def flow_grid(steps, shift):
    """FlowMatchEulerDiscreteScheduler of diffusers, 1,000 training steps, static shift."""

    def shifted(sigma):
        return shift * sigma / (1 + (shift - 1) * sigma)

    training = shifted(np.linspace(1, 1000, 1000)[::-1] / 1000)
    timesteps = np.linspace(training[0] * 1000, training[-1] * 1000, steps)
    return torch.from_numpy(np.append(shifted(timesteps / 1000), 0.0))


def cosine_betas():
    def alpha_bar(u):
        return math.cos((u + 0.008) / 1.008 * math.pi / 2) ** 2

    return [min(1 - alpha_bar((i + 1) / 1000) / alpha_bar(i / 1000), 0.999) for i in range(1000)]


def diffusers_alpha_bars(name):
    """DDPMScheduler of diffusers: betas, alphas and their products are float32."""
    if name == "squaredcos_cap_v2":
        betas = torch.tensor(cosine_betas(), dtype=torch.float32)
    elif name == "linear":
        betas = torch.linspace(1e-4, 0.02, 1000, dtype=torch.float32)
    else:
        betas = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=torch.float32) ** 2
    return torch.cumprod(1 - betas, 0).double().numpy()


def ddpm_run(name, steps=25):
    """Training timesteps, noisiest first, and cumulative alphas at each and at the one after it."""
    if name == "respaced_cosine":
        bars = np.cumprod(1 - np.array(cosine_betas()))
        rising = [round(i * 999 / (steps - 1)) for i in range(steps)]
    else:
        bars = diffusers_alpha_bars(name)
        rising = [i * (1000 // steps) for i in range(steps)]
    before = [1.0] + [bars[t] for t in rising[:-1]]
    return np.array(rising[::-1]), bars[rising[::-1]], np.array(before[::-1])


def log_normal(x, mean, std):
    return -((x - mean) ** 2) / (2 * std**2) - torch.log(std) - 0.5 * math.log(2 * math.pi)


def ddpm_step(index, bars, before, posterior_log, normal):
    """One step of paper-facts 3.12 and 3.13, in float64 from float32 inputs."""
    bar, prev = bars[index], before[index]
    beta = 1 - bar / prev
    x, noise, draw = (normal(2, 4).double() for _ in range(3))
    share = normal(2, 4).tanh().double()
    x0 = x / math.sqrt(bar) - math.sqrt(1 / bar - 1) * noise
    x0_coef = math.sqrt(prev) * beta / (1 - bar)
    xt_coef = math.sqrt(bar / prev) * (1 - prev) / (1 - bar)
    mean = x0_coef * x0 + xt_coef * x
    variance = torch.tensor(beta * (1 - prev) / (1 - bar), dtype=torch.float64)
    weight = (share + 1) / 2
    learned = (0.5 * (weight * math.log(beta) + (1 - weight) * posterior_log[index])).exp()
    # NOVA floors the variance of the last step, which is 0, at 1e-12.
    floored = variance.clamp_min(1e-12).sqrt()
    next_fixed = (mean + floored.clamp_min(0.1) * draw).float().double()
    next_learned = (mean + learned * draw).float().double()
    return {
        "x": x.float(),
        "noise": noise.float(),
        "share": share.float(),
        "mean": mean,
        "std_fixed": variance.sqrt().reshape(1),
        "std_learned": learned,
        "next_fixed": next_fixed.float(),
        "next_learned": next_learned.float(),
        "logp_fixed": log_normal(next_fixed, mean, floored),
        "logp_learned": log_normal(next_learned, mean, learned),
    }


def ddpm(name, normal):
    timesteps, bars, before = ddpm_run(name)
    variances = (1 - bars / before) * (1 - before) / (1 - bars)
    # Harmon and MAR replace the zero posterior variance of the last step by that of the step before it.
    variances[-1] = variances[-2]
    out = {"timesteps": torch.from_numpy(timesteps), "alpha_bars": torch.from_numpy(bars)}
    steps = [ddpm_step(index, bars, before, np.log(variances), normal) for index in STEPS]
    out |= {key: torch.stack([step[key] for step in steps]) for key in steps[0]} | {"steps": torch.tensor(STEPS)}
    return {f"ddpm.{name}.{key}": value for key, value in out.items()}


def counts_rounded(tokens, steps):
    """NOVA: differences of the rounded cosine; steps without a token are dropped."""
    masked = np.round(tokens * np.cos(np.pi / 2 * np.arange(steps + 1) / steps))
    new = -np.diff(masked).astype(np.int64)
    return torch.from_numpy(new[new > 0])


def counts_floored(tokens, steps):
    """MAR and Harmon: at least one token a step and one left for the next; the last step takes the rest."""
    unknown, counts = tokens, []
    for step in range(steps):
        masked = max(1, min(unknown - 1, math.floor(tokens * math.cos(math.pi / 2 * (step + 1) / steps))))
        masked = 0 if step == steps - 1 else masked
        counts.append(unknown - masked)
        unknown = masked
    return torch.tensor(counts)


def schedules(normal):
    """All tensors of `schedules.safetensors`; `normal(*shape)` draws float32 noise."""
    out = {}
    for shift in (1, 3):
        for steps in (10, 25):
            out[f"flow.shift{shift}.steps{steps}"] = flow_grid(steps, shift)
    for name in ("respaced_cosine", "squaredcos_cap_v2", "linear", "scaled_linear"):
        out |= ddpm(name, normal)
    for tokens, steps in ((1024, 64), (64, 8), (64, 16)):
        out[f"counts.round.{tokens}.{steps}"] = counts_rounded(tokens, steps)
        out[f"counts.floor.{tokens}.{steps}"] = counts_floored(tokens, steps)
    return out
