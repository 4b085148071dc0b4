"""An autotuned Triton kernel of the user, its operands do not fit."""
import torch
import triton
import triton.language as tl
from common import DEV


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 64}, num_warps=4),
        triton.Config({"BLOCK": 128}, num_warps=8),
    ],
    key=["n"],
)
@triton.jit
def fused(a, b, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.arange(0, 2 * BLOCK)
    x = tl.load(a + i, mask=i < n)
    y = tl.load(b + j, mask=j < n)
    tl.store(out + i, x + y, mask=i < n)


class Net(torch.nn.Module):
    def forward(self, a, b):
        out = torch.empty_like(a)
        n = a.numel()
        fused[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](a, b, out, n)
        return out * 2


net = torch.compile(Net())
try:
    net(torch.randn(4096, device=DEV), torch.randn(4096, device=DEV))
except Exception as e:
    print(type(e), str(e)[:800])
