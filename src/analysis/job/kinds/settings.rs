//! Settings of the compiler that differ.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::groups::Group;
use crate::analysis::job::sides::{Sides, verb};
use crate::model::sentence::{code, sentence};
use crate::model::{Fact, FactValue, Sentence, Step};

static KIND: KindOfFinding = KindOfFinding::difference(Fact::Config, "config_differs", "Settings");

const ADVICE: &str = "Settings change what is generated, so they may be the cause of other differences. Set the same environment variables and torch._dynamo / torch._inductor options on each rank.";

/// What torch writes for a function or another object.
const AN_OBJECT: &str = "\"Value is not JSON serializable\"";

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    sides.finding(&KIND, Severity::Warning, title(sides)).with_advice(ADVICE)
}

/// A setting with its value.
struct Setting<'s> {
    name: String,
    value: &'s str,
}

fn title(sides: &Sides<'_>) -> Sentence {
    let (theirs, mine) = (setting(sides, sides.theirs), setting(sides, sides.mine));
    match (theirs, mine) {
        (Some(theirs), Some(mine))
            if theirs.name == mine.name && [theirs.value, mine.value].contains(&AN_OBJECT) =>
        {
            sentence![of_object(sides, sides.other, &theirs), ", ", of_object(sides, sides.most, &mine)]
        }
        _ => sides.plainly("runs with", "run with"),
    }
}

fn setting<'s>(sides: &'s Sides<'_>, step: Option<Step>) -> Option<Setting<'s>> {
    let texts = sides.texts();
    match step?.value? {
        FactValue::Setting { config, name, value } => Some(Setting {
            name: format!("{}.{}", texts.get(config), texts.get(name)),
            value: texts.get(value),
        }),
        _ => None,
    }
}

/// `rank 1 sets `inductor_config.x` to a function or another object`
fn of_object(sides: &Sides<'_>, group: &Group, setting: &Setting<'_>) -> Sentence {
    let who = sides.who(group);
    match setting.value {
        AN_OBJECT => {
            let sets = verb(group, " sets ", " set ");
            sentence![who, sets, code(&*setting.name), " to a function or another object"]
        }
        value => sentence![who, verb(group, " has ", " have "), code(value)],
    }
}
