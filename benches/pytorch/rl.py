"""One MAR-GRPO training iteration of marscope in PyTorch, timed part by part.

    pip install torch numpy
    python benches/pytorch/rl.py
    python benches/pytorch/rl.py --marscope target/release/marscope --json rl.json
    python benches/pytorch/rl.py --variant grpo
    python benches/pytorch/rl.py --check

The iteration of `src/session/train/iteration.rs` with `presets/default.toml`: a group of 16 pictures of one prompt, 8 AR
steps and 10 stochastic diffusion steps, all trained, no guidance, MTE with 3 trajectories on 30 % of the tokens,
consistency-aware selection, KL against a frozen reference, a clipped AdamW step. `--variant` takes the names of
`src/rl/variant.rs`, and each setting has a flag. The parts:

    collect   transformer and head over the tokens of all pictures at every AR step, trajectories kept
    reward    decoder (`decode`) and a reward (`judge`)
    mte       fresh denoisings of every token from the Z that decided it, uncertainty and masks
    replay    forward passes of policy and reference, objective
    backward  backward passes
    update    clipping and optimiser

marscope's reward is its verifier, which finds shapes in a picture; it is not available here. `judge` is a stand-in: how
close the pixels of the 8-bit picture are to one of the prompt's two colours.

Eager float32 on the CPU with two threads, written as PyTorch is usually written for speed: all pictures at once, all
diffusion steps of a replay stacked into one call of the head, only the rows that enter the loss, the modulation shared by
the trajectories of a token, `scaled_dot_product_attention`, `inference_mode` for everything without a gradient, no gradient
for frozen weights, fused AdamW. `--compile` adds a column with `torch.compile`. The weights are random: time does not depend
on them. `--check` tests the iteration instead of timing it.

With `--marscope PATH`, `PATH bench --rl --json` runs with the same settings before and after the measurement here and the
better of its two times counts. A ratio above 1 means that marscope is faster. Run it on an idle machine: beside one busy program PyTorch's threads
wait for each other and take up to ten times as long, which would flatter marscope.
"""

import argparse
import copy
import json
import math
import os
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
import torch.nn.functional as F

from model import CHANNELS, SLOTS, TOKENS, Decoder, Generator

PARTS = ("collect", "decode", "judge", "reward", "mte", "replay", "backward", "update", "iteration")
ETA, TAU, BETA, FIRST_MASKED_AR_STEP = 0.7, 0.0, 0.01, 2
PROMPT_COLOURS = ((0.15, 0.3, 0.85), (0.55, 0.2, 0.65))


@dataclass(frozen=True)
class Settings:
    """Those of `presets/default.toml`."""

    pictures: int = 16
    ar_steps: int = 8
    diffusion_steps: int = 10
    frozen: str = "head"
    mte: bool = True
    trajectories: int = 3
    selection: str = "uncertain"
    share: float = 0.3
    consistency: bool = True
    kl: str = "gaussian"
    token_scope: str = "unknown"
    step_weight: str = "noise_level"
    head_rows: int = 0

    def denoises_all_tokens(self):
        return self.token_scope == "unknown" or self.consistency


VARIANTS = {
    "grpo": {"frozen": "none", "mte": False, "consistency": False},
    "frozen_head": {"mte": False, "consistency": False},
    "mte_all": {"selection": "all", "consistency": False},
    "mte_top_k": {"consistency": False},
    "mte_random": {"selection": "random", "consistency": False},
    "mar_grpo": {},
    "head_only": {"frozen": "transformer", "mte": False, "consistency": False},
    "policy_gradient": {"mte": False, "consistency": False, "token_scope": "predicted"},
}


def tokens_per_step(ar_steps):
    """Differences of the rounded cosine; steps without a token are dropped."""
    masked = [round(TOKENS * math.cos(math.pi / 2 * i / ar_steps)) for i in range(ar_steps + 1)]
    return [before - after for before, after in zip(masked, masked[1:]) if before > after]


class Schedule:
    """Stochastic steps of the flow: `next ~ N(x_coef x + v_coef v, std²)`, `[steps, 1, 1]` each."""

    def __init__(self, steps):
        sigmas = torch.linspace(1, 0, steps + 1, dtype=torch.float64)
        sigma, dt = sigmas[:-1], sigmas.diff()
        s_squared = ETA**2 * sigma / (1 - torch.where(sigma >= 1, sigmas[1], sigma))
        columns = (
            1 + s_squared * dt / (2 * sigma),
            (1 + s_squared * (1 - sigma) / (2 * sigma)) * dt,
            (s_squared * -dt).sqrt(),
        )
        self.times = sigma.float()
        self.x_coef, self.v_coef, self.std = (column.float()[:, None, None] for column in columns)
        self.steps = steps

    def weights(self, rule):
        """Of the diffusion steps in the policy term, `[steps, 1]`."""
        level = (self.std / self.v_coef.abs()).squeeze(2)
        return level / level.mean() if rule == "noise_level" else torch.ones_like(level)


def denoise(step, head, z, noise, schedule):
    """Trajectories `[steps + 1, ..., rows, channels]` from `noise`; `z` is `[rows, width]`."""
    condition, times = head.condition(z), head.time(schedule.times)
    states = torch.empty(schedule.steps + 1, *noise.shape)
    states[0] = noise
    for t in range(schedule.steps):
        coefficients = (schedule.x_coef[t], schedule.v_coef[t], schedule.std[t])
        states[t + 1] = step(head, states[t], condition, times[t], coefficients, torch.randn_like(noise))
    return states


def stochastic_step(head, x, condition, time, coefficients, noise):
    x_coef, v_coef, std = coefficients
    velocity = head.denoise(x, head.modulation(condition, time))
    return (x * x_coef).addcmul_(velocity, v_coef).addcmul_(noise, std)


@dataclass
class Rollout:
    """Sampled pictures. `pictures * tokens` rows are the tokens of all pictures."""

    captions: torch.Tensor
    counts: list
    predicted_at: torch.Tensor  # [pictures, tokens]
    before: list  # [pictures, tokens, channels] of each AR step
    states: list  # [diffusion steps + 1, pictures * tokens, channels] of each AR step
    deciding_z: torch.Tensor  # [pictures * tokens, width]
    latents: torch.Tensor  # [pictures, tokens, channels]


@dataclass
class Masks:
    """Decisions about tokens, `[pictures, tokens]`; `kept` has one for each AR step."""

    multi: torch.Tensor
    kept: list


def consistency(rollout, settings):
    """Tokens that came closer to the final latent, of each AR step."""
    always = torch.ones_like(rollout.predicted_at, dtype=torch.bool)
    if not settings.consistency:
        return [always] * len(rollout.states)
    last = rollout.latents.flatten(0, 1)
    cosines = [F.cosine_similarity(states[-1], last, dim=1) for states in rollout.states]
    gains = [now - before for before, now in zip(cosines, cosines[1:])]
    return [
        always if k < FIRST_MASKED_AR_STEP else (gains[k - 1].view_as(always) > TAU) | (rollout.predicted_at == k)
        for k in range(len(cosines))
    ]


def select(uncertainty, settings):
    """The tokens that get multi-trajectory expectation."""
    if settings.selection == "all":
        return torch.ones_like(uncertainty, dtype=torch.bool)
    key = {"uncertain": uncertainty, "stable": -uncertainty, "random": torch.rand_like(uncertainty)}
    count = max(1, int(settings.share * TOKENS + 1e-9))
    chosen = key[settings.selection].topk(count, dim=1, sorted=False).indices
    return torch.zeros_like(uncertainty, dtype=torch.bool).scatter_(1, chosen, True)


def transition_mean(head, z, x, schedule):
    """Mean of the next latent; `z` is `[rows, width]`, `x` `[..., steps, rows, channels]`."""
    time = head.time(schedule.times)[:, None]
    velocity = head.denoise(x, head.modulation(head.condition(z), time))
    return torch.addcmul(x * schedule.x_coef, velocity, schedule.v_coef)


def objective(mean, reference_mean, following, std, weights, kl):
    """P, KL and what is logged. `weights` are those of the policy term `[steps, rows]` and of KL `[rows]`."""
    log_prob = (following - mean).square() * (-0.5 / std.square()) - (std.log() + 0.5 * math.log(2 * math.pi))
    ratio = (log_prob - log_prob.detach()).exp()
    distance = reference_mean - mean
    if kl == "gaussian":
        elements = distance.square() * (0.5 / std.square())
    else:
        elements = distance.exp() - distance - 1
    policy_weight, kl_weight = weights
    share = following.shape[:-3].numel()
    policy = (ratio.sum(-1) * policy_weight).sum() / share
    kl = (elements.sum(-1) * kl_weight).sum() / share
    seen = log_prob.detach()
    return policy, kl, torch.stack([seen.sum(), seen.square().sum()])


class Trainer:
    """A policy and what one iteration does to it."""

    def __init__(self, settings, compiled=False):
        torch.manual_seed(0)
        self.settings, self.schedule = settings, Schedule(settings.diffusion_steps)
        self.model, self.decoder = Generator(), Decoder().requires_grad_(False)
        self.reference = copy.deepcopy(self.model).requires_grad_(False)
        if settings.frozen == "head":
            self.model.head.requires_grad_(False)
        elif settings.frozen == "transformer":
            self.model.mar.requires_grad_(False)
        self.trained = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(self.trained, lr=3e-4, betas=(0.9, 0.99), weight_decay=0.0, fused=True)
        self.captions = torch.randint(1, 25, (1, SLOTS)).expand(settings.pictures, -1)
        self.step_weights = self.schedule.weights(settings.step_weight)
        self.mar, self.reference_mar, self.step, self.score = (
            self.model.mar,
            self.reference.mar,
            stochastic_step,
            self.score_rows,
        )
        if compiled:
            self.mar, self.reference_mar = torch.compile(self.mar), torch.compile(self.reference_mar)
            self.step = torch.compile(stochastic_step)
            self.score = torch.compile(self.score_rows, dynamic=True)

    @torch.inference_mode()
    def collect(self):
        pictures, steps = self.settings.pictures, self.settings.diffusion_steps
        order = torch.rand(pictures, TOKENS).argsort(1)
        predicted_at = torch.empty(pictures, TOKENS, dtype=torch.long)
        latents, known = torch.zeros(pictures, TOKENS, CHANNELS), torch.zeros(pictures, TOKENS)
        flat, offsets = latents.view(-1, CHANNELS), TOKENS * torch.arange(pictures)[:, None]
        counts, first, before, kept, deciding_z = tokens_per_step(self.settings.ar_steps), 0, [], [], None
        for k, count in enumerate(counts):
            z = self.mar(self.captions, latents, known).flatten(0, 1)
            new = order[:, first : first + count]
            rows = (new + offsets).flatten()
            deciding_z = torch.zeros_like(z) if deciding_z is None else deciding_z
            deciding_z[rows] = z[rows]
            if self.settings.denoises_all_tokens():
                states = denoise(self.step, self.model.head, z, torch.randn(len(z), CHANNELS), self.schedule)
            else:
                states = torch.zeros(steps + 1, len(z), CHANNELS)
                noise = torch.randn(len(rows), CHANNELS)
                states[:, rows] = denoise(self.step, self.model.head, z[rows], noise, self.schedule)
            before.append(latents.clone())
            kept.append(states)
            flat[rows] = states[-1, rows]
            known.scatter_(1, new, 1.0)
            predicted_at.scatter_(1, new, k)
            first += count
        return Rollout(self.captions, counts, predicted_at, before, kept, deciding_z, latents)

    @torch.inference_mode()
    def decode(self, latents):
        return self.decoder(latents).clamp_(0, 1).mul_(255).round_().to(torch.uint8)

    @torch.inference_mode()
    def judge(self, pictures):
        """Advantages from the stand-in reward."""
        pixels = pictures.float().flatten(2) / 255
        colours = torch.tensor(PROMPT_COLOURS)[:, None, :, None]
        closeness = -(pixels - colours).square().sum(2).amin(0)
        rewards = closeness.mean(1, dtype=torch.float64)
        std = rewards.std()
        return (rewards - rewards.mean()) / (std + 1e-4) if std > 0 else torch.zeros_like(rewards)

    @torch.inference_mode()
    def decide(self, rollout):
        """Extra trajectories `[steps + 1, S, rows, channels]` and masks."""
        settings, trajectories = self.settings, None
        multi = torch.zeros_like(rollout.predicted_at, dtype=torch.bool)
        if settings.mte:
            noise = torch.randn(settings.trajectories, len(rollout.deciding_z), CHANNELS)
            trajectories = denoise(self.step, self.model.head, rollout.deciding_z, noise, self.schedule)
            uncertainty = trajectories[-1].std(0, correction=0).mean(1).view_as(multi)
            multi = select(uncertainty, settings)
        return trajectories, Masks(multi, consistency(rollout, settings))

    def in_scope(self, rollout, k):
        at = rollout.predicted_at
        return at >= k if self.settings.token_scope == "unknown" else at == k

    def weights(self, rollout, masks, advantages, k):
        """Weights `[pictures * tokens]` of both terms, so that a sum over all elements is the mean of the objective."""
        scope, elements = self.in_scope(rollout, k), CHANNELS * self.schedule.steps
        kept = scope & masks.kept[k]
        policy = advantages[:, None] * kept / (kept.sum().clamp(min=1) * elements)
        return policy.float().flatten(), scope.float().flatten() / (scope.sum().clamp(min=1) * elements)

    def score_rows(self, z, reference_z, path, weights):
        """P, KL and what is logged; `path` is `[steps + 1, ..., rows, channels]`."""
        path = path.movedim(0, -3)
        x, following = path[..., :-1, :, :], path[..., 1:, :, :]
        with torch.no_grad():
            reference_mean = transition_mean(self.reference.head, reference_z, x, self.schedule)
        mean = transition_mean(self.model.head, z, x, self.schedule)
        return objective(mean, reference_mean, following, self.schedule.std, weights, self.settings.kl)

    def gradient(self, rollout, trajectories, masks, advantages, k, clock):
        """Adds the gradient of AR step `k`; returns P, KL and what is logged."""
        known = (rollout.predicted_at < k).float()
        z = self.mar(rollout.captions, rollout.before[k], known).flatten(0, 1)
        with torch.inference_mode():
            reference_z = self.reference_mar(rollout.captions, rollout.before[k], known).flatten(0, 1)
        # A leaf of its own: the head's graphs are freed call by call, and the transformer is differentiated once.
        leaf = z.detach().requires_grad_(z.requires_grad)
        policy_weight, kl_weight = self.weights(rollout, masks, advantages, k)
        scope, total = self.in_scope(rollout, k), torch.zeros(4)
        jobs = [(scope & ~masks.multi, rollout.states[k]), (scope & masks.multi, trajectories)]
        for mask, states in jobs:
            chosen = mask.flatten().nonzero().squeeze(1)
            if len(chosen) == 0:
                continue
            limit = self.settings.head_rows or math.inf
            size = max(1, min(len(chosen), limit // states[1:, ..., 0, 0].numel()))
            for rows in chosen.split(int(size)):
                weights = (policy_weight[rows] * self.step_weights, kl_weight[rows])
                path = states.index_select(-2, rows)
                policy, kl, seen = self.score(leaf[rows], reference_z[rows], path, weights)
                loss = (BETA * kl - policy) / len(rollout.counts)
                clock.lap("replay")
                loss.backward()
                clock.lap("backward")
                total += torch.cat([torch.stack([policy.detach(), kl.detach()]), seen])
        if z.requires_grad:
            z.backward(leaf.grad)
            clock.lap("backward")
        return total

    def iterate(self):
        """One iteration; seconds of each part, and the sums over AR steps."""
        clock = Clock()
        rollout = self.collect()
        clock.lap("collect")
        pictures = self.decode(rollout.latents)
        clock.lap("decode")
        advantages = self.judge(pictures)
        clock.lap("judge")
        trajectories, masks = self.decide(rollout)
        clock.lap("mte")
        steps = torch.randperm(len(rollout.counts)).tolist()
        seen = sum(self.gradient(rollout, trajectories, masks, advantages, k, clock) for k in steps)
        norm = torch.nn.utils.clip_grad_norm_(self.trained, 1.0, foreach=True)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        assert norm.isfinite() and seen.isfinite().all()
        clock.lap("update")
        times = clock.seconds
        times["iteration"] = sum(times.values())
        times["reward"] = times["decode"] + times["judge"]
        return times, seen


class Clock:
    """Seconds by part."""

    def __init__(self):
        self.seconds, self.last = {}, time.perf_counter()

    def lap(self, part):
        now = time.perf_counter()
        self.seconds[part] = self.seconds.get(part, 0.0) + now - self.last
        self.last = now


def time_iterations(settings, iterations, warm_up, compiled=False):
    """Median seconds of each part."""
    trainer = Trainer(settings, compiled)
    times = [trainer.iterate()[0] for _ in range(warm_up + iterations)][warm_up:]
    return {part: statistics.median(one[part] for one in times) for part in PARTS}


def naive_loss(trainer, rollout, trajectories, masks, advantages, k):
    """The loss of one AR step by the book: every token, every trajectory, no sharing and no blocks."""
    settings, schedule = trainer.settings, trainer.schedule
    known = (rollout.predicted_at < k).float()
    models = (trainer.model, trainer.reference)
    outputs = [model.mar(rollout.captions, rollout.before[k], known).flatten(0, 1) for model in models]
    scope = trainer.in_scope(rollout, k)
    kept, multi = (scope & masks.kept[k]).flatten(), masks.multi.flatten()
    scope, rate = scope.flatten(), advantages.float().repeat_interleave(TOKENS)
    paths = [rollout.states[k]] + ([] if trajectories is None else list(trajectories.unbind(1)))
    policy, kl = 0.0, 0.0
    for number, path in enumerate(paths):
        share = (~multi).float() if number == 0 else multi.float() / settings.trajectories
        for t in range(schedule.steps):
            x, following, std = path[t].clone(), path[t + 1].clone(), schedule.std[t]
            means = [
                schedule.x_coef[t] * x
                + schedule.v_coef[t] * model.head(x, model.head.condition(z), model.head.time(schedule.times[t : t + 1]))
                for model, z in zip(models, outputs)
            ]
            log_prob = torch.distributions.Normal(means[0], std).log_prob(following)
            ratio = (log_prob - log_prob.detach()).exp()
            assert (ratio == 1).all(), "the ratio is 1 by construction"
            divergence = torch.distributions.kl_divergence(
                torch.distributions.Normal(means[0], std), torch.distributions.Normal(means[1], std)
            )
            policy = policy + trainer.step_weights[t] * ((share * kept * rate)[:, None] * ratio).sum()
            kl = kl + ((share * scope)[:, None] * divergence).sum()
    elements = CHANNELS * schedule.steps
    return -(policy / (kept.sum() * elements) - BETA * kl / (scope.sum() * elements))


def gradients_of(trainer):
    found = [torch.zeros_like(p) if p.grad is None else p.grad for p in trainer.trained]
    trainer.model.zero_grad(set_to_none=True)
    return torch.cat([gradient.flatten() for gradient in found])


def check(settings):
    """Masks, KL and ratio at the start, and the gradient against one written by the book."""
    trainer = Trainer(replace(settings, kl="gaussian"))
    rollout = trainer.collect()
    advantages = trainer.judge(trainer.decode(rollout.latents))
    trajectories, masks = trainer.decide(rollout)
    assert abs(advantages.mean()) < 1e-6 and advantages.std() > 0
    for k, count in enumerate(rollout.counts):
        assert ((rollout.predicted_at == k).sum(1) == count).all()
        now = rollout.predicted_at == k
        assert masks.kept[k][now].all()
        assert k >= FIRST_MASKED_AR_STEP or masks.kept[k].all()
        flat = now.flatten()
        assert (rollout.latents.flatten(0, 1)[flat] == rollout.states[k][-1][flat]).all()
    if settings.mte:
        count = TOKENS if settings.selection == "all" else max(1, int(settings.share * TOKENS + 1e-9))
        assert (masks.multi.sum(1) == count).all()
        assert trajectories.shape[1] == settings.trajectories
    else:
        assert not masks.multi.any()
    if settings.consistency and len(rollout.counts) > 3:
        assert not torch.stack(masks.kept).all(), "consistency keeps everything"
    clock, totals = Clock(), []
    for k in range(len(rollout.counts)):
        totals.append(trainer.gradient(rollout, trajectories, masks, advantages, k, clock))
    ours = gradients_of(trainer)
    assert ours.isfinite().all() and ours.norm() > 0
    policy, kl = torch.stack(totals)[:, :2].unbind(1)
    assert (kl == 0).all(), "the policy is the reference"
    # With a ratio of 1, P(k) is the mean advantage of the kept tokens.
    for k, value in enumerate(policy):
        kept = trainer.in_scope(rollout, k) & masks.kept[k]
        assert abs(value - (advantages[:, None] * kept).sum() / kept.sum()) < 1e-4
    with torch.no_grad():
        for p in trainer.trained:
            p.add_(0.01 * torch.randn_like(p))
    for rows in (0, 500):
        trainer.settings = replace(trainer.settings, head_rows=rows)
        seen = sum(
            trainer.gradient(rollout, trajectories, masks, advantages, k, clock) for k in range(len(rollout.counts))
        )
        ours, steps = gradients_of(trainer), range(len(rollout.counts))
        assert seen[1] > 0
        losses = [naive_loss(trainer, rollout, trajectories, masks, advantages, k) for k in steps]
        (sum(losses) / len(losses)).backward()
        expected = gradients_of(trainer)
        error = (ours - expected).norm() / expected.norm()
        assert error < 1e-4, f"gradient off by {error:.1e} of its norm"
    before = [p.detach().clone() for p in trainer.model.parameters()]
    trainer.iterate()
    for old, p in zip(before, trainer.model.parameters()):
        assert p.requires_grad or torch.equal(old, p), "a frozen weight has changed"
    print(f"all checks hold; gradient off by {error:.1e} of its norm")


def flags(settings, iterations):
    """The same settings for marscope."""
    values = {
        "group": settings.pictures,
        "rollout.ar_steps": settings.ar_steps,
        "rollout.diffusion_steps": settings.diffusion_steps,
        "frozen": settings.frozen,
        "mte.enabled": str(settings.mte).lower(),
        "mte.trajectories": settings.trajectories,
        "mte.selection": settings.selection,
        "mte.share": settings.share,
        "consistency.enabled": str(settings.consistency).lower(),
        "objective.kl": settings.kl,
        "objective.token_scope": settings.token_scope,
        "objective.step_weight": settings.step_weight,
        "optim.clip_norm": 1.0,
    }
    return ["--times", str(iterations), "--device", "cpu", *(w for k, v in values.items() for w in (f"--rl.{k}", str(v)))]


def time_marscope(path, settings, iterations):
    command = [path, "bench", "--rl", "--json", *flags(settings, iterations)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    times = json.loads(output).get("rl", {})
    return {part: float(times[part]) for part in PARTS if times.get(part)}


def measure(settings, arguments):
    """Seconds by part of each program, and their ratios."""
    load = os.getloadavg()[0]
    program = (arguments.marscope, settings, arguments.iterations)
    before = time_marscope(*program) if arguments.marscope else None
    result = {"threads": torch.get_num_threads(), "torch": torch.__version__, "settings": asdict(settings)}
    result["load_before"] = load
    result["pytorch"] = time_iterations(settings, arguments.iterations, 2)
    if arguments.compile:
        result["compiled"] = time_iterations(settings, arguments.iterations, 4, compiled=True)
    if before is not None:
        after = time_marscope(*program)
        result["marscope"] = {part: min(before[part], after[part]) for part in before if part in after}
        for name, ratio in (("pytorch", "ratio"), ("compiled", "compiled ratio")):
            if name in result:
                result[ratio] = {part: result[name][part] / s for part, s in result["marscope"].items()}
    return result


def print_table(result):
    columns = [name for name in ("pytorch", "compiled", "marscope", "ratio", "compiled ratio") if name in result]
    print(f"PyTorch {result['torch']}, {result['threads']} threads, median seconds")
    if result["load_before"] > 0.5:
        print(f"Not an idle machine: its load was {result['load_before']:.1f} before the measurement. Do not publish this.")
    print("".join([f"{'':<12}", *(f"{name:>16}" for name in columns)]))
    for part in PARTS:
        cells = (f"{result[column][part]:.4f}" if part in result[column] else "-" for column in columns)
        print("".join([f"{part:<12}", *(f"{cell:>16}" for cell in cells)]))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", choices=VARIANTS, default="mar_grpo", help="settings by name, mar_grpo (the default preset)")
    parser.add_argument("--pictures", type=int, help="pictures of the prompt, 16 by default")
    parser.add_argument("--ar-steps", type=int, help="AR steps, 8 by default")
    parser.add_argument("--diffusion-steps", type=int, help="diffusion steps, 10 by default")
    parser.add_argument("--frozen", choices=("none", "head", "transformer"), help="what stays as it is")
    parser.add_argument("--mte", action=argparse.BooleanOptionalAction, help="multi-trajectory expectation")
    parser.add_argument("--trajectories", type=int, help="extra trajectories, 3 by default")
    parser.add_argument("--share", type=float, help="share of the tokens under MTE, 0.3 by default")
    parser.add_argument("--consistency", action=argparse.BooleanOptionalAction, help="consistency-aware selection")
    parser.add_argument("--kl", choices=("gaussian", "mean_k3"), help="element of the KL term, gaussian by default")
    parser.add_argument("--head-rows", type=int, help="rows of the head differentiated at once, 0 (all) by default")
    parser.add_argument("--iterations", type=int, default=5, help="timed iterations, 5 by default")
    parser.add_argument("--compile", action="store_true", help="also time torch.compile")
    parser.add_argument("--check", action="store_true", help="test the iteration and time nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers to FILE")
    parser.add_argument("--marscope", metavar="PATH", help="the marscope program to compare with")
    parser.add_argument("--threads", type=int, default=2, help="threads of PyTorch, 2 by default")
    arguments = parser.parse_args()
    given = {name: getattr(arguments, name, None) for name in asdict(Settings())}
    settings = replace(Settings(**VARIANTS[arguments.variant]), **{n: v for n, v in given.items() if v is not None})
    return settings, arguments


def main():
    settings, arguments = parse()
    torch.set_num_threads(arguments.threads)
    if arguments.check:
        check(settings)
        return
    result = measure(settings, arguments)
    print_table(result)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
