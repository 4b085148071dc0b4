"""Scenario 26: kernels whose bytes and FLOPs take reading: templates, updates in place, views, copies of a layout, a graph that
was not cached, and a wrapper in C++, with a torch.profiler trace of their runs.

usage: s26_kernels.py PROFILE.json
"""
import sys

import torch
import torch._inductor.config as inductor
from torch import nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.profiler import ProfilerActivity, profile

inductor.cpp.enable_kernel_profile = True


def causal(batch, head, row, column):
    return row >= column


layers = nn.Sequential(nn.Linear(128, 256), nn.GELU(), nn.Linear(256, 64))
weights = [torch.randn(64, 32), torch.randn(64)]
moments = [torch.zeros_like(weight) for weight in weights]
gradients = [torch.randn_like(weight) for weight in weights]
query, key, value = (torch.randn(1, 2, 128, 64) for _ in range(3))
mask = create_block_mask(causal, None, None, 128, 128, device="cpu")
left, right = torch.randn(10, 4), torch.randn(10, 8)
image, window, bias = torch.randn(2, 4, 16, 16), torch.randn(8, 4, 3, 3), torch.randn(8)
rows, inner = torch.randn(96, 128), torch.randn(24, 32)
table = nn.Linear(32, 16)


@torch.compile
def multiply(x):
    return layers(x).relu()


@torch.compile
def attend(q, k, v):
    return flex_attention(q, k, v, block_mask=mask)


@torch.compile
def update(weights, moments, gradients):
    torch._foreach_mul_(moments, 0.9)
    torch._foreach_add_(moments, gradients, alpha=0.1)
    torch._foreach_add_(weights, moments, alpha=-0.01)


@torch.compile
def join(x, y):
    joined = torch.cat([x + 1, y * 2], 1)
    return joined, joined.sum(0)


@torch.compile
def convolve(x, w, b):
    return torch.nn.functional.conv2d(x, w, b, padding=1)


@torch.compile(options={"fx_graph_cache": False})
def uncached(x):
    return table(x).square()


@torch.compile(options={"cpp_wrapper": True})
def wrapped(x):
    return torch.softmax(table(x), -1)


def step():
    with torch.no_grad():
        multiply(rows)
        attend(query, key, value)
        update(weights, moments, gradients)
        join(left, right)
        convolve(image, window, bias)
        uncached(inner)
        wrapped(inner)


def main():
    # Only a frozen graph has weights that a template can take, and only "CPP" leaves no choice to the time of the day.
    with torch.no_grad(), inductor.patch(max_autotune=True, max_autotune_gemm_backends="CPP", freezing=True):
        multiply(rows)
    for _ in range(2):
        step()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as p:
        for _ in range(3):
            step()
    p.export_chrome_trace(sys.argv[1])
    print("events", len(p.events()))


if __name__ == "__main__":
    main()
