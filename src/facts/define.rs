//! How the objects of a report are defined: each field with its type, its description and what a redacted report shows of it.

/// What a redacted report shows of a value.
pub(crate) trait Redact {
    /// The redacted value. It borrows nothing: no text of a log can get into it.
    type Redacted;

    /// Makes it; `names` gives pseudonyms.
    fn redact(&self, names: &mut super::Names) -> Self::Redacted;
}

/// Defines an object of a report. Its fields are written in this order, and their comments are the descriptions in
/// `report.schema.json`. Behind each field is the policy of a redacted report: a function of [`super::safe`] from the value
/// and the pseudonyms to what is shown. A field without a policy does not compile.
///
/// An object that is written as a list of its values begins with `list`.
macro_rules! facts {
    ($(#[$meta:meta])* struct $name:ident<'a> { $($(#[$of_field:meta])* $field:ident: $type:ty => $policy:expr,)* }) => {
        $(#[$meta])*
        #[derive(Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(bound(deserialize = "'de: 'a"))]
        #[schemars(deny_unknown_fields)]
        pub(crate) struct $name<'a> { $($(#[$of_field])* pub $field: $type,)* }

        impl<'a> $crate::facts::define::Redact for $name<'a> {
            type Redacted = $name<'static>;

            fn redact(&self, names: &mut $crate::facts::Names) -> $name<'static> {
                $name { $($field: $policy(&self.$field, names),)* }
            }
        }
    };
    ($(#[$meta:meta])* list $name:ident<'a> { $($(#[$of_field:meta])* $field:ident: $type:ty => $policy:expr,)* }) => {
        $(#[$meta])*
        #[derive(serde::Deserialize)]
        #[serde(bound(deserialize = "'de: 'a"))]
        pub(crate) struct $name<'a> { $(pub $field: $type,)* }

        impl<'a> serde::Serialize for $name<'a> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                ($(&self.$field,)*).serialize(serializer)
            }
        }

        impl<'a> schemars::JsonSchema for $name<'a> {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <($($type,)*)>::json_schema(generator)
            }
        }

        impl<'a> $crate::facts::define::Redact for $name<'a> {
            type Redacted = $name<'static>;

            fn redact(&self, names: &mut $crate::facts::Names) -> $name<'static> {
                $name { $($field: $policy(&self.$field, names),)* }
            }
        }
    };
}

pub(crate) use facts;
