//! Facts about recompilations that rules ask for.

use serde::Deserialize;

/// What advice may depend on: the words of `is` and `not` in `recompile_rules.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// Nothing tells what changed.
    Unknown,
    /// The log cannot have the reasons: its torch records none, or they are damaged.
    Unrecorded,
    /// The log was made of console output that does not show guards.
    GuardsUnknown,
    /// `dynamic=False` is set.
    DynamicFalse,
    /// torch gave up on the function.
    LimitHit,
    /// Each such change is expected.
    Expected,
    /// It changed no more than once.
    ChangedOnce,
    /// The last compile made it symbolic.
    Dynamic,
    /// A line made it a constant after it was dynamic; {line} names it.
    Fixed,
    /// The line is a library's.
    FixedByLibrary,
    /// The compiled code itself sets this value.
    SetsItself,
    /// The compiled code itself changes this container.
    FillsItself,
    /// Another module was called through torch's wrapper for modules.
    AnotherModule,
    /// The tensor is a parameter or buffer.
    OfParameter,
    /// A container had more items in each version than in the one before.
    Grows,
    /// The version and the one it is compared with were called from the same line.
    OneCallSite,

    // Numbers, as guards and graphs of the versions show.
    /// A version has it symbolic, no guard is on it, and no size depends on it.
    TakesTensor,
    Global,
    /// An integer that is an attribute of a module.
    OfModule,
    /// No integer, and `specialize_float` is set.
    FloatBySetting,
    /// The graphs of the versions differ in numbers alone.
    GraphsAlike,
    /// They are equal, so that the number is in none.
    GraphsEqual,
    /// They differ in this number alone, as an operand.
    GraphsDifferInIt,
    /// Some of them are equal or differ in this number alone.
    SomeGraphsDifferInIt,

    // Layouts of a tensor, in some of the versions.
    ChannelsLast,
    /// Part of a larger tensor, or expanded.
    PartOfTensor,
    /// Its dimensions lie in another order.
    Permuted,

    // Where the inputs of a function are made that is compiled by itself.
    /// Before the graph break at {line} of {function}.
    BeforeBreak,
    /// In {caller}, compiled code that broke or gave up.
    InCaller,

    // What the guards of the versions prove about sizes: one of these at most.
    /// Marking {one} or {several} dimensions saves compiles.
    Marks,
    /// So it is, but the first call makes {thing}, one of these tensors.
    MadeByFirstCall,
    /// A parameter of modules, {thing}, has several shapes.
    ParameterShapes,
    /// A parameter of one module, whose others stay.
    ExchangedParameters,
    /// A parameter that is passed to a function.
    ParametersOfFunction,
    /// {line} makes a constant of {size}.
    Constant,
    /// {line} does, which torch runs while it traces.
    ConstantOfFake,
    /// {line} does, which is code of a library.
    ConstantOfLibrary,
    /// The first call had one element in a dimension, for which {relation} does not hold.
    FirstHasOne,
    /// A number, {thing}, changes along with the sizes.
    NumberToo,
    /// The dynamic version would not have served the earlier calls, {because}; {line} may decide by a relation.
    NotServed,
    /// What the dynamic version leaves open, {thing}, is not an input that the reader can name.
    NoName,
    /// The first version is dynamic already, and the calls do not keep a relation that the code needs.
    AlreadyDynamic,
    /// No version has a symbolic size in its guards.
    NothingDynamic,
}
