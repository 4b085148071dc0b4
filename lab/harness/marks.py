"""Marks the arguments of compiled functions as a report advises."""

import inspect


def mark_calls(torch, marks):
    """Makes `torch.compile` mark inputs before each call of a compiled function.

    `marks` has, per function, the expressions to mark and their dimensions: {"step": [["x", 0], ["self.bank", 0]]}.
    """
    compile_itself = torch.compile

    def compile_and_mark(model=None, **options):
        if model is None:
            return lambda function: compile_and_mark(function, **options)
        return _Marking(torch, model, compile_itself(model, **options), marks)

    torch.compile = compile_and_mark


class _Marking:
    """A compiled function whose inputs are marked before each call."""

    def __init__(self, torch, model, compiled, marks):
        self.torch, self.model, self.compiled = torch, model, compiled
        self.inner = model.forward if isinstance(model, torch.nn.Module) else model
        self.marks = marks.get(self.inner.__code__.co_name, [])

    def __call__(self, *arguments, **named):
        bound = inspect.signature(self.inner, follow_wrapped=False).bind(*arguments, **named)
        bound.apply_defaults()
        names = {**self.inner.__globals__, **bound.arguments}
        if isinstance(self.model, self.torch.nn.Module):
            names["self"] = self.model
        for expression, dimension in self.marks:
            self._mark(expression, dimension, names)
        return self.compiled(*arguments, **named)

    def _mark(self, expression, dimension, names):
        try:
            value = eval(expression, names)
        except (AttributeError, IndexError, KeyError, NameError, TypeError):
            return  # this call has no such input
        if isinstance(value, self.torch.Tensor):
            self.torch._dynamo.maybe_mark_dynamic(value, dimension)
