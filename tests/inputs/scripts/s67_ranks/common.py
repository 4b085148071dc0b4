import datetime, os, torch, torch.nn as nn, torch.distributed as dist
import torch.distributed._functional_collectives as fc
import torch._inductor.config as cfg
cfg.log_tlparse = True
def start(seconds=60):
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=seconds))
    torch.manual_seed(0); torch.set_num_threads(1)
    return dist.get_rank()
