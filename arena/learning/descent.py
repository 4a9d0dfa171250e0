"""Steps of learning, which all ways to learn have in common."""

import torch
from torch import Tensor, nn


def descend(loss: Tensor, network: nn.Module, optimiser: torch.optim.Optimizer) -> None:
    optimiser.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()


def in_16_bits(device: torch.device) -> torch.autocast:
    """Layers multiply in bfloat16 where the device knows how, which is then several times as fast.

    Each context copies the weights once, so none must outlive a step of learning.
    """
    knows_how = device.type == "cuda" or bool(torch.cpu.get_capabilities().get("avx512_bf16"))
    return torch.autocast(device.type, torch.bfloat16, enabled=knows_how)


def optimiser_of(network: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(network.parameters(), betas=(0.9, 0.98), eps=1e-6, fused=True)
