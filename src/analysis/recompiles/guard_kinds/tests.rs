//! Every row of the table, on texts of guards. Where no log is named, the text is edited or made after torch's sources.

use super::*;

/// Kind, subject, dimension, old and new value, and the condition, as one line.
fn read(reason: &str) -> String {
    let change = classify(reason);
    let subject = change.subject();
    let dimension = change.dimension.map(|dimension| dimension.to_string());
    // A relation is its own subject.
    let condition = change.condition.filter(|condition| Some(condition) != subject.as_ref());
    let parts = [subject, dimension, change.old, change.new, condition];
    let parts = parts.map(|part| part.unwrap_or_else(|| "-".to_owned()));
    format!("{:?} | {}", change.kind, parts.join(" | "))
}

fn assert_all(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(&read(text), expected, "{text}");
    }
}

#[test]
fn sizes_name_the_dimension_and_both_values() {
    assert_all(&[
        // 04_recompiles 0/1, 21_torch26_05_dynamic_shapes 2/1, 07_compiled_autograd 0/1
        ("tensor 'x' size mismatch at index 1. expected 4, actual 6", "Size | x.shape[1] | 1 | 4 | 6 | -"),
        (
            "tensor 'L['x']' size mismatch at index 0. expected 12, actual 13",
            "Size | x.shape[0] | 0 | 12 | 13 | -",
        ),
        (
            "tensor 'args[0]' size mismatch at index 0. expected 4, actual 6",
            "Size | args[0].shape[0] | 0 | 4 | 6 | -",
        ),
        // 25_guards 10/1, 21_torch26_25_guards 10/1
        ("tensor 'x' rank mismatch. expected 1, actual 2", "Rank | x.ndim | - | 1 | 2 | -"),
        ("tensor 'L['x']' rank mismatch. expected 1, actual 2", "Rank | x.ndim | - | 1 | 2 | -"),
        // Edited: a symbolic size that became a constant.
        ("L['x'].size()[0] == 8", "Size | x.shape[0] | 0 | 8 | - | -"),
    ]);
}

#[test]
fn sizes_of_parameters_and_buffers_are_told_from_those_of_inputs() {
    let remark = "Guard failed on a parameter, consider using \
                  torch._dynamo.config.force_parameter_static_shapes = False to allow dynamism on parameters.";
    // 25_guards and 21_torch28_25_guards 31/1, 21_torch26_25_guards 31/1
    let text = format!("tensor 'w' size mismatch at index 1. expected 3, actual 5. {remark}");
    assert_eq!(read(&text), "ParameterSize | w.shape[1] | 1 | 3 | 5 | -");
    let text = format!("tensor 'L['w']' size mismatch at index 1. expected 3, actual 5. {remark}");
    assert_eq!(read(&text), "ParameterSize | w.shape[1] | 1 | 3 | 5 | -");
    // Edited: a buffer, known by where it is kept.
    let text = "tensor 'self._buffers['mask']' size mismatch at index 0. expected 3, actual 5";
    assert_eq!(read(text), "ParameterSize | self.mask.shape[0] | 0 | 3 | 5 | -");
    assert!(classify(text).of_parameter);
}

#[test]
fn the_rule_of_sizes_zero_and_one_is_a_kind_of_its_own() {
    let note = "# def size_one(x): return x * 5  # s25_guards.py:106 in size_one (user code shown is first use of this \
                value--the guard itself is not due user code but due to 0/1 specialization in the framework)";
    // 25_guards 41/1 (shortened), 21_torch26_25_guards 41/1
    assert_eq!(read(&format!("2 <= x.size()[0]  {note}")), "ZeroOne | x.shape[0] | 0 | - | - | -");
    assert_eq!(read("2 <= L['x'].size()[0]  # def f(x)"), "ZeroOne | x.shape[0] | 0 | - | - | -");
    // Edited.
    assert_eq!(read("x.size()[0] != 1"), "ZeroOne | x.shape[0] | 0 | - | - | -");
    assert_eq!(read("x.size()[1] == 1"), "ZeroOne | x.shape[1] | 1 | 1 | - | -");
}

#[test]
fn a_relation_of_a_number_is_no_relation_of_sizes() {
    assert_eq!(read("2 <= L['k']"), "NumberRelation | 2 <= k | - | - | - | -");
    assert_eq!(read("(L['k'] % 8) == 0"), "NumberRelation | (k % 8) == 0 | - | - | - | -");
    assert_eq!(read("L['k'] <= 100"), "NumberRelation | k <= 100 | - | - | - | -");
    // 30_diffusion, 1/2
    assert_eq!(
        read("0 <= prev <= 999  # ap = self.alphas[prev]"),
        "NumberRelation | 0 <= prev <= 999 | - | - | - | -"
    );
}

#[test]
fn a_key_that_is_absent_changed_the_keys() {
    // 30_recsys_fake, 0/2
    let read = read("KeyError on batch['author']");
    assert_eq!(read, "Keys | batch | - | with 'author' | without 'author' | -");
}

#[test]
fn relations_of_sizes_are_no_sizes() {
    assert_all(&[
        // 25_guards 38/1 and 39/1 (their comments shortened), 21_torch26_25_guards 38/1 to 40/1
        ("(x.size()[0] % 8) == 0  # def f(x)", "Relation | x.shape[0] % 8 == 0 | 0 | - | - | -"),
        ("(L['x'].size()[0] % 8) == 0  # def f(x)", "Relation | x.shape[0] % 8 == 0 | 0 | - | - | -"),
        ("x.size()[0] == 2*y.size()[0]  # def f", "Relation | x.shape[0] == 2*y.shape[0] | 0 | - | - | -"),
        ("L['x'].size()[0] == 2*L['y'].size()[0]", "Relation | x.shape[0] == 2*y.shape[0] | 0 | - | - | -"),
        ("L['x'].size()[0] <= 100  # def f(x)", "Relation | x.shape[0] <= 100 | 0 | - | - | -"),
        // 25_guards 40/1, shortened
        ("2 <= x.size()[0] <= 100  # def f(x)", "Relation | 2 <= x.shape[0] <= 100 | 0 | - | - | -"),
        // Edited: the bound of 32-bit indices, sympy's words.
        (
            "L['x'].size()[0]*L['x'].size()[1] <= 2147483647",
            "Relation | x.shape[0]*x.shape[1] <= 2147483647 | 0 | - | - | -",
        ),
        ("Eq(Mod(L['x'].size()[0], 8), 0)", "Relation | Eq(Mod(x.shape[0], 8), 0) | 0 | - | - | -"),
    ]);
}

#[test]
fn sizes_that_were_equal_are_a_kind_of_their_own() {
    // Edited after torch's text of duck sizing.
    let text = "L['y'].size()[0] == L['x'].size()[0]  # duck sizing added this equality because these variables had the \
                same size 8 (to avoid this specialization, set torch.fx.experimental._config.use_duck_shape = False)";
    assert_eq!(read(text), "EqualSizes | y.shape[0] == x.shape[0] | 0 | - | - | -");
    assert_eq!(read("x.size()[0] == x.size()[1]"), "EqualSizes | x.shape[0] == x.shape[1] | 0 | - | - | -");
}

#[test]
fn layout_names_what_is_laid_out_otherwise() {
    assert_all(&[
        // 25_guards 0/2 and 1/1, 21_torch26_25_guards 0/2
        (
            "tensor 'x' stride mismatch at index 0. expected 4, actual 1",
            "Stride | x.stride(0) | 0 | 4 | 1 | -",
        ),
        (
            "x.stride()[0] == x.size()[1]*x.stride()[1]  # (unknown source x.stride()[0], please file a bug)",
            "Stride | x.stride(0) | 0 | - | - | x.stride(0) == x.shape[1]*x.stride(1)",
        ),
        (
            "L['x'].stride()[0] == L['x'].size()[1]*L['x'].stride()[1]  # (unknown source L['x'].stride()[0])",
            "Stride | x.stride(0) | 0 | - | - | x.stride(0) == x.shape[1]*x.stride(1)",
        ),
        // Edited.
        ("L['x'].stride()[1] == 1", "Stride | x.stride(1) | 1 | 1 | - | -"),
        ("L['x'].storage_offset() == 0", "StorageOffset | x.storage_offset() | - | 0 | - | -"),
    ]);
}

#[test]
fn dispatch_keys_tell_a_device_from_a_mode() {
    let keys = "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)";
    let mismatch =
        |new: &str| format!("tensor 'L['x']' dispatch key set mismatch. expected {keys}, actual {new}");
    // 21_torch26_25_guards 6/1
    let text = mismatch("DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU, AutocastCPU)");
    assert_eq!(read(&text), "Autocast | x | - | - | - | dispatch keys gone: none; new: AutocastCPU");
    // Edited: inference mode, another device, one set only.
    let text = mismatch("DispatchKeySet(CPU, BackendSelect)");
    assert_eq!(
        read(&text),
        "DispatchKeys | x | - | - | - | dispatch keys gone: ADInplaceOrView, AutogradCPU; new: none"
    );
    let text = mismatch("DispatchKeySet(CUDA, BackendSelect, ADInplaceOrView, AutogradCUDA)");
    assert_eq!(read(&text), "Device | x.device | - | CPU | CUDA | -");
    let text = "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU)";
    assert_eq!(read(text), "DispatchKeys | x | - | - | - | -");
}

#[test]
fn dtype_device_and_gradient_have_both_values() {
    assert_all(&[
        // 25_guards 2/1 and 2/2, 04_recompiles 1/3, 21_torch26_25_guards 2/1
        (
            "tensor 'x' dtype mismatch. expected Float, actual Double",
            "Dtype | x.dtype | - | Float | Double | -",
        ),
        (
            "tensor 'x' dtype mismatch. expected Double, actual Long",
            "Dtype | x.dtype | - | Double | Long | -",
        ),
        (
            "tensor 'x' dtype mismatch. expected Long, actual BFloat16",
            "Dtype | x.dtype | - | Long | BFloat16 | -",
        ),
        (
            "tensor 'L['x']' dtype mismatch. expected Float, actual Double",
            "Dtype | x.dtype | - | Float | Double | -",
        ),
        // 25_guards 3/1, 18_fsdp 1/1, 21_torch26_25_guards 3/1
        (
            "tensor 'x' requires_grad mismatch. expected requires_grad=0",
            "RequiresGrad | x.requires_grad | - | False | True | -",
        ),
        (
            "tensor 'L['x']' requires_grad mismatch. expected requires_grad=0",
            "RequiresGrad | x.requires_grad | - | False | True | -",
        ),
        // Edited.
        (
            "tensor 'x' requires_grad mismatch. expected requires_grad=1",
            "RequiresGrad | x.requires_grad | - | True | False | -",
        ),
        (
            "tensor 'x' Tensor device index mismatch. Expected device index to be 0, got 1",
            "Device | x.device | - | 0 | 1 | -",
        ),
        (
            "tensor 'x' Tensor device index mismatch. Expected device index to be 0, actual 1",
            "Device | x.device | - | 0 | 1 | -",
        ),
    ]);
}

#[test]
fn settings_of_torch_are_named() {
    assert_all(&[
        // 25_guards 4/1, 6/1 to 9/1, 21_torch28_25_guards 6/1
        ("GLOBAL_STATE changed: grad_mode ", "GradMode | grad_mode | - | - | - | -"),
        ("GLOBAL_STATE changed: autocast(cpu)_enabled ", "Autocast | autocast(cpu)_enabled | - | - | - | -"),
        ("GLOBAL_STATE changed: autocast ", "Autocast | autocast | - | - | - | -"),
        (
            "GLOBAL_STATE changed: deterministic_algorithms ",
            "Setting | deterministic_algorithms | - | - | - | -",
        ),
        ("GLOBAL_STATE changed: num_threads ", "Setting | num_threads | - | - | - | -"),
        ("GLOBAL_STATE changed: default_dtype ", "Setting | default_dtype | - | - | - | -"),
        // Edited: two at once, and the other forms of such guards (from trees of 25_guards).
        (
            "GLOBAL_STATE changed: grad_mode autocast(cuda)_enabled ",
            "GradMode | grad_mode, autocast(cuda)_enabled | - | - | - | -",
        ),
        ("utils_device.CURRENT_DEVICE == None", "Setting | default device | - | None | - | -"),
        ("___check_torch_function_mode_stack()", "Setting | torch function modes | - | - | - | -"),
        ("___check_global_state()", "Setting | global state | - | - | - | -"),
    ]);
}

#[test]
fn types_of_inputs_are_told_from_inputs_that_are_no_tensors() {
    assert_all(&[
        // 25_guards 11/1 and 13/1, 21_torch28_25_guards 11/1 and 13/1, 21_torch26_25_guards 11/2
        (
            "expected type of 'x' to be <class 'torch.Tensor'>, but found <class 'int'>",
            "NotATensor | x | - | torch.Tensor | int | -",
        ),
        (
            "expected type of 'x' to be <class 'torch.Tensor'>, but found <class '__main__.Tagged'>",
            "Type | x | - | torch.Tensor | __main__.Tagged | -",
        ),
        (
            "expected type of 'x' to be a tensor type, ' but found <class 'int'>",
            "NotATensor | x | - | torch.Tensor | int | -",
        ),
        (
            "expected type of 'x' to be a tensor type, ' but found <class '__main__.Tagged'>",
            "Type | x | - | torch.Tensor | __main__.Tagged | -",
        ),
        (
            "expected type of 'L['x']' to be a tensor type, ' but found <class 'float'>",
            "NotATensor | x | - | torch.Tensor | float | -",
        ),
        // 25_guards 25/2, 21_torch28_25_guards 25/2, 21_torch26_25_guards 11/2
        (
            "___check_type_id(o, 140696915104256), type=<class 'float'>  # def f(x, o)  # s.py:86 in f (HINT: type float)",
            "Type | o | - | float | - | -",
        ),
        ("___check_type_id(o, 140409414439424)", "Type | o | - | - | - | -"),
        ("___check_type_id(L['x'], 140644511481056)", "Type | x | - | - | - | -"),
        // Edited.
        ("isinstance(L['x'], int)", "Type | x | - | int | - | -"),
        ("type(L['x']) is int", "Type | x | - | int | - | -"),
    ]);
}

#[test]
fn objects_are_named_without_their_address() {
    assert_all(&[
        // 25_guards 20/1 and 26/1, 21_torch28_25_guards 20/1, 21_torch26_25_guards 20/1 and 28/1
        (
            "___check_obj_id(c, 140696905928208), type=<class '__main__.Color'>  # def f(x, c): ..",
            "Object | c | - | __main__.Color | - | -",
        ),
        (
            "___check_obj_id(f, 140696900146560), type=<class 'builtin_function_or_method'>  # def f",
            "Function | f | - | - | - | -",
        ),
        ("___check_obj_id(c, 140405004484816)", "Object | c | - | - | - | -"),
        ("___check_obj_id(L['c'], 140641178137744)", "Object | c | - | - | - | -"),
        ("___check_obj_id(L['fn'].training, 140644511411968)", "Training | fn.training | - | - | - | -"),
        // From the trees of 25_guards 26/2 and 21_torch26_25_guards 26/2
        (
            "___check_obj_id(L['f'].__code__, 140696907295552), type=<class 'code'>",
            "Function | f | - | - | - | -",
        ),
        ("___check_obj_id(L['f'].__code__, 140644504579088)", "Function | f | - | - | - | -"),
        // Edited: the variable ends at the comma outside of brackets.
        ("___check_obj_id(args[0], 139717272483856)", "Object | args[0] | - | - | - | -"),
        ("___check_obj_id(d['a, b'], 139717272483856)", "Object | d['a, b'] | - | - | - | -"),
    ]);
    assert_eq!(classify("___check_obj_id(args[0], 139717272483856)").address, Some(139_717_272_483_856));
}

#[test]
fn aliases_name_the_inputs() {
    assert_all(&[
        // 25_guards 12/1, 21_torch26_25_guards 12/1
        (
            "Duplicate tensors found: [\"x\", \"y\"]",
            "Alias | x, y | - | different tensors | the same tensor | -",
        ),
        (
            "Duplicate tensors found: [\"L['x']\", \"L['y']\"]",
            "Alias | x, y | - | different tensors | the same tensor | -",
        ),
        // From the trees of 25_guards 12/0 and 12/1
        ("check_no_aliasing(L['x'], L['y'])", "Alias | x, y | - | different tensors | the same tensor | -"),
        ("L['x'] is L['y']", "Alias | x, y | - | the same object | different objects | -"),
    ]);
}

#[test]
fn values_of_python_have_kinds_by_what_they_are() {
    let tail = "       # return x + k if flag else x - k  # scripts/s04.py:18 in by_python_scalar";
    let flag = format!("flag == True{tail}");
    let number = format!("k == 2.5{tail}");
    assert_all(&[
        // 04_recompiles 2/4 (its place shortened), 21_torch28_04_recompiles 2/1, 21_torch26_25_guards 14/1 and 16/1
        (&number, "Number | k | - | 2.5 | - | -"),
        (&flag, "Flag | flag | - | True | - | -"),
        ("k == 1                         ", "Number | k | - | 1 | - | -"),
        ("L['k'] == 2", "Number | k | - | 2 | - | -"),
        ("L['k'] == 0.5                  ", "Number | k | - | 0.5 | - | -"),
        // 25_guards 23/1, 24/1, 30/1, 30/2, 34/1, 43/1, 44/1, and 21_torch26_25_guards 30/2
        ("d['k'] == 1    # def dict_value(d, x)", "Number | d['k'] | - | 1 | - | -"),
        ("t[1] == 2     # def tuple_of(x, t)", "Number | t[1] | - | 2 | - | -"),
        ("c.scale == 1.0    # c = Counter()", "Number | c.scale | - | 1.0 | - | -"),
        ("c._modules['layers']._modules['0'].eps == 1e-05", "Number | c.layers[0].eps | - | 1e-05 | - | -"),
        (
            "L['c']._modules['layers']._modules['0'].eps == 1e-05",
            "Number | c.layers[0].eps | - | 1e-05 | - | -",
        ),
        ("r.stop == 3    # def range_of(x, r)", "Number | r.stop | - | 3 | - | -"),
        ("G['GLOBAL'] == 2", "Number | GLOBAL | - | 2 | - | -"),
        ("make.__defaults__[0] == 1", "Number | make.__defaults__[0] | - | 1 | - | -"),
        // 03_graph_breaks 23/1 and 21_torch26_03_graph_breaks 23/1
        (
            "___stack0 == -0.018349945545196533    # if",
            "Number | ___stack0 | - | -0.018349945545196533 | - | -",
        ),
        ("L['___stack0'] == -0.018349945545196533", "Number | ___stack0 | - | -0.018349945545196533 | - | -"),
        // 04_recompiles 5/1, 25_guards 18/1, 28/1, 14_bert_train 0/1
        ("cfg.mode == 'add'    # return x + 1", "Text | cfg.mode | - | 'add' | - | -"),
        ("mode == 'add'      # def string(x, mode)", "Text | mode | - | 'add' | - | -"),
        ("fn.training == True    # return F.dropout(", "Training | fn.training | - | True | - | -"),
        (
            "self.config.problem_type is None    # if",
            "NoneOrNot | self.config.problem_type | - | None | - | -",
        ),
        // Edited.
        ("L['c'] == <Color.RED: 1>", "EnumMember | c | - | <Color.RED: 1> | - | -"),
        ("mode == 'a == b # c'", "Text | mode | - | 'a == b # c' | - | -"),
        ("L['d'] == torch.float32", "Value | d | - | torch.float32 | - | -"),
        ("a.b is not None", "NoneOrNot | a.b | - | not None | None | -"),
    ]);
}

#[test]
fn hints_behind_a_guard_are_no_part_of_it() {
    // 04_recompiles 4/1, 21_torch28_25_guards 29/1 (its hint shortened)
    let text = "fn.__closure__[0].cell_contents == 1     # return x * n  # s04.py:28 in closure (HINT: guard on \"n\")";
    assert_eq!(read(text), "Number | fn.__closure__[0].cell_contents | - | 1 | - | -");
    let text =
        "self.step == 0                (HINT: torch.compile considers integer attributes to be static.)";
    assert_eq!(read(text), "Number | self.step | - | 0 | - | -");
}

#[test]
fn containers_have_length_keys_and_items() {
    assert_all(&[
        // 25_guards 21/1, 22/1, 22/2, 33/1 and 46/1, 22_vllm 0/1
        ("len(xs) == 1    # def list_length(xs)", "Length | len(xs) | - | 1 | - | -"),
        ("len(d) != 1", "Length | len(d) | - | 1 | - | -"),
        ("len(fn._modules) != 2", "Length | len(fn._modules) | - | 2 | - | -"),
        ("list(dict.keys(d))[0] == 'a'    # def dict_keys(d)", "Keys | d | - | 'a' | - | -"),
        (
            "set.__contains__(s, 'a')   # def set_member(x, s)  # s25_guards.py:92 in set_member (HINT: Set s must)",
            "Member | s | - | with 'a' | without 'a' | -",
        ),
        ("___tuple_iterator_len(it) == 2     # for v in it:", "IteratorLength | it | - | 2 | - | -"),
        // 21_torch28_25_guards 33/1, 21_torch26_25_guards 21/1, 22/1, 22/2, 33/1 and 46/1
        ("s == {'a'}", "Member | s | - | {'a'} | - | -"),
        ("L['s'] == {'a'}", "Member | s | - | {'a'} | - | -"),
        ("len(L['xs']) == 1", "Length | len(xs) | - | 1 | - | -"),
        ("len(L['d']) != 1", "Length | len(d) | - | 1 | - | -"),
        ("list(L['d'].keys())[0] == 'a'", "Keys | d | - | 'a' | - | -"),
        ("___tuple_iterator_len(L['it']) == 2", "IteratorLength | it | - | 2 | - | -"),
        // From the trees of 25_guards 28/0, 29/0 and 33/1
        ("not L['kwargs']", "Length | len(kwargs) | - | 0 | - | -"),
        (
            "not ___dict_contains('forward', L['m'].__dict__)",
            "Keys | m.__dict__ | - | without 'forward' | with 'forward' | -",
        ),
        ("not set.__contains__(L['s'], 'a')", "Member | s | - | without 'a' | with 'a' | -"),
        // Edited.
        ("'a' in L['kwargs']", "Keys | kwargs | - | with 'a' | without 'a' | -"),
        ("hasattr(L['x'], 'grad_fn')", "Attribute | x.grad_fn | - | present | absent | -"),
        ("not hasattr(L['x'], 'a')", "Attribute | x.a | - | absent | present | -"),
        ("hasattr(L['x'], 'a') == False", "Attribute | x.a | - | absent | present | -"),
    ]);
}

#[test]
fn dynamic_marks_are_no_attributes_of_the_user() {
    assert_all(&[
        // 25_guards 42/1, 21_torch28_25_guards 42/1, 21_torch26_25_guards 42/1
        (
            "_has_dynamo_dim_marking is present on runtime tensor but was absent at compile time",
            "Marks | - | - | not marked | marked | -",
        ),
        ("hasattr(x, '_dynamo_dynamic_indices') == False", "Marks | x | - | not marked | marked | -"),
        ("hasattr(L['x'], '_dynamo_dynamic_indices') == False", "Marks | x | - | not marked | marked | -"),
        // From the tree of 25_guards 42/1
        (
            "((getattr(L['x'], '_dynamo_dynamic_indices', set()).issubset({0})) if hasattr(L['x'], \
             '_dynamo_dynamic_indices') else True)",
            "Marks | x | - | - | - | -",
        ),
    ]);
}

#[test]
fn backends_are_named_by_their_compiler_and_races_are_told_as_such() {
    // 25_guards 47/1
    let text = "BACKEND_MATCH failure: torch.compile detected different backend callables. Cached backend: \
                _TorchCompileWrapper(compiler='eager', dynamic=None) (id=0x7ff5c51d8750). New backend: \
                _TorchCompileWrapper(compiler='aot_eager', dynamic=None) (id=0x7ff5c524d310). If this is unexpected, \
                wrap your backend in functools.partial (or reuse the same cached backend) to avoid creating a new \
                backend function each time. More details: https://github.com/pytorch/pytorch/issues/168373";
    assert_eq!(read(text), "Backend | - | - | eager | aot_eager | -");
    assert_all(&[
        // 21_torch28_25_guards 47/1, 21_torch26_25_guards 47/1
        ("", "Unnamed | - | - | - | - | -"),
        // After torch's sources.
        (
            "BACKEND_MATCH failure: torch.compile detected different backend callables.",
            "Backend | - | - | - | - | -",
        ),
        (
            "Unexpected recompilation: runtime guards failed even though they passed during recompilation-reason \
             analysis. Please open an issue with a minimal repro: https://github.com/pytorch/pytorch",
            "Race | - | - | - | - | -",
        ),
        ("___check_current_backend(140244125423088)", "Backend | - | - | - | - | -"),
        (
            "___skip_backend_check() or ___current_backend() == ___lookup_backend(7)",
            "Backend | - | - | - | - | -",
        ),
    ]);
}

#[test]
fn what_nobody_knows_is_kept_whole() {
    assert_eq!(read("something new"), "Other | - | - | - | - | something new");
    assert_eq!(read("a == 1 and b == 2"), "Other | - | - | - | - | a == 1 and b == 2");
    assert_eq!(classify("k == 2; n == 3").source.as_deref(), Some("k"), "the first of several guards");
    for odd in ["(", "'", "L['", "==", "len(", "x.size()[", "___check_obj_id(", "tensor '", "not ", "a is"] {
        let _ = classify(odd);
    }
}
