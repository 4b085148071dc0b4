//! The kinds of things that change between compiles of one function.

/// What changed between two compiles of one function. Each kind has its own words and advice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// A dimension of an input.
    Size,
    /// A dimension of a parameter or buffer.
    ParameterSize,
    /// How many dimensions a tensor has.
    Rank,
    /// A size changed to or from 0 or 1, which torch always compiles separately.
    ZeroOne,
    /// Two sizes that were equal when the code was compiled and now differ.
    EqualSizes,
    /// A relation of sizes that the code relies on: a bound, a multiple.
    Relation,
    /// A relation of a Python number that the code relies on: a branch tested it, or an operation needs it.
    NumberRelation,
    /// The stride of a tensor.
    Stride,
    /// Where a tensor starts in its memory.
    StorageOffset,
    /// The dispatch keys of a tensor.
    DispatchKeys,
    /// The element type of a tensor.
    Dtype,
    /// The device of a tensor.
    Device,
    /// Whether an input needs a gradient.
    RequiresGrad,
    /// Grad mode, or inference mode.
    GradMode,
    Autocast,
    /// Another setting of torch: threads, deterministic algorithms, default dtype or device.
    Setting,
    /// The type of a value.
    Type,
    Object,
    /// Which function it is: its code, or a function itself.
    Function,
    EnumMember,
    /// A tensor in some calls, something else in others.
    NotATensor,
    /// Whether inputs are the same tensor.
    Alias,
    /// A number of Python.
    Number,
    /// A string of Python.
    Text,
    /// True or False.
    Flag,
    /// None in some calls, something else in others.
    NoneOrNot,
    /// The `training` flag of a module.
    Training,
    /// Another value of Python.
    Value,
    /// How many items a container has.
    Length,
    /// How many items an iterator has left.
    IteratorLength,
    /// The keys of a dictionary.
    Keys,
    /// Whether a set has an item.
    Member,
    /// Whether an object has an attribute.
    Attribute,
    /// The backend given to `torch.compile`.
    Backend,
    /// Which dimensions are marked as dynamic.
    Marks,
    /// torch found that every guard holds: threads that compile at the same time, or a fault of torch.
    Race,
    /// torch gives an empty reason: another backend in versions before 2.9, or a race.
    Unnamed,
    /// Nothing of the above.
    #[default]
    Other,
}

impl ChangeKind {
    /// The kind in words, as in report.json.
    pub fn word(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::ParameterSize => "size of a parameter",
            Self::Rank => "number of dimensions",
            Self::ZeroOne => "size 0 or 1",
            Self::EqualSizes => "equal sizes",
            Self::Relation => "relation of sizes",
            Self::Stride => "stride",
            Self::StorageOffset => "storage offset",
            Self::DispatchKeys => "dispatch keys",
            Self::Dtype => "dtype",
            Self::Device => "device",
            Self::RequiresGrad | Self::GradMode | Self::Autocast | Self::Setting => "global or grad state",
            Self::Type | Self::NotATensor => "type",
            Self::Object | Self::Function => "object identity",
            Self::Alias => "alias",
            Self::NumberRelation
            | Self::Number
            | Self::Text
            | Self::Flag
            | Self::NoneOrNot
            | Self::Value
            | Self::EnumMember => "Python value",
            Self::Training => "training or evaluation",
            Self::Length | Self::IteratorLength | Self::Keys | Self::Member => "container",
            Self::Attribute => "attribute",
            Self::Backend => "backend",
            Self::Marks => "dynamic marks",
            Self::Race => "race",
            Self::Unnamed => "no reason named",
            Self::Other => "other",
        }
    }

    /// Whether what changed is the shape or the dtype of a tensor, and not a value of the program.
    pub fn is_of_tensor(self) -> bool {
        use ChangeKind::{Dtype, ParameterSize, Rank, Size, Stride, ZeroOne};
        matches!(self, Size | ParameterSize | Rank | Stride | ZeroOne | Dtype)
    }

    /// Whether each value needs a version of its own: training and evaluation, dtypes, sizes 0 and 1, a flag that selects
    /// a branch.
    pub fn is_expected(self) -> bool {
        matches!(
            self,
            Self::Dtype
                | Self::GradMode
                | Self::RequiresGrad
                | Self::Training
                | Self::ZeroOne
                | Self::NumberRelation
                | Self::Flag
                | Self::Text
                | Self::NoneOrNot
                | Self::EnumMember
        )
    }

    /// Whether the value is a scalar, which may be replaced by a scalar of another kind: None after a number.
    pub(super) fn is_scalar(self) -> bool {
        matches!(
            self,
            Self::Number
                | Self::Text
                | Self::Flag
                | Self::NoneOrNot
                | Self::Value
                | Self::EnumMember
                | Self::Training
        )
    }

    /// Whether it is about the contents of an object: the items of a container, an attribute.
    pub(super) fn is_state(self) -> bool {
        matches!(self, Self::Length | Self::Keys | Self::Member | Self::Attribute)
    }

    /// When torch checks it among the guards of a version: global state first, then values and tensors in tree order,
    /// then conditions on symbolic sizes.
    pub(super) fn stage(self) -> u8 {
        match self {
            Self::GradMode | Self::Autocast | Self::Setting => 0,
            // The order in which torch checks the properties of one tensor.
            Self::DispatchKeys => 2,
            Self::Dtype => 3,
            Self::Device => 4,
            Self::RequiresGrad => 5,
            Self::Rank => 6,
            Self::Size | Self::ParameterSize => 7,
            Self::Stride => 8,
            Self::Relation
            | Self::NumberRelation
            | Self::EqualSizes
            | Self::ZeroOne
            | Self::StorageOffset => 9,
            _ => 1,
        }
    }
}
