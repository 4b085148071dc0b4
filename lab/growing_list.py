"""The compiled method reads len() of a list that grows with each call (a replay buffer).

FIX=0 as users write it
FIX=1 the number as an argument
FIX=2 the number as a tensor
FIX=3 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [9, 2]},
    2: {"compiles": [9, 1]},
}
NEVER = {
    3: {"compiles": [9, 9]},
}

FIX = int(os.environ.get("FIX", "0"))


class Agent:
    def __init__(self):
        self.memory = [0.0]

    @torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
    def baseline(self, values, count):
        if FIX in (1, 2):
            return values.mean() / (count + 1)
        return values.mean() / (len(self.memory) + 1)


agent = Agent()
OUT = []
for _ in range(12):
    agent.memory.append(0.0)
    count = len(agent.memory)
    OUT.append(agent.baseline(torch.arange(4.0), torch.tensor(count) if FIX == 2 else count))
