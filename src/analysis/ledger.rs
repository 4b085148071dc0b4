//! The ledger of a log's compile time: each piece of work is charged once.

use super::findings::{Claim, Work};
use super::one_offs::OneOff;
use super::parts::{aot_graph_us, inductor_graph_us};
use super::run_time::{RunTime, at_run_time};
use super::split::Split;
use crate::model::{Compile, CompileIndex, Model, Parts};
use fxhash::FxHashMap;

/// The work of one compile that nobody was charged for yet, microseconds.
#[derive(Debug, Default, Clone, Copy)]
struct Account {
    discarded_us: f64,
    kept_us: f64,
    /// One-off work of the process and waiting: no cause within the compile, so only who claims the whole gets it.
    apart_us: f64,
    at_run_time_us: f64,
    /// What of the kept time Inductor's graph took at most.
    inductor_graph_us: f64,
    /// What AOTAutograd took at most in addition.
    aot_graph_us: f64,
    /// The finding that was charged most.
    holder: Option<Holder>,
}

/// One-off work and waiting of a compile, microseconds.
#[derive(Debug, Default, Clone, Copy)]
struct Apart {
    us: f64,
    /// What of it counts as work on the graph.
    in_graph_us: f64,
}

/// A finding that was charged for a compile.
#[derive(Debug, Clone, Copy)]
struct Holder {
    finding: usize,
    us: f64,
}

/// What is left of each compile's work.
#[derive(Debug)]
pub struct Ledger {
    accounts: FxHashMap<CompileIndex, Account>,
    /// Compile time of the log that nobody was charged for yet, microseconds.
    left_us: f64,
}

/// What the ledger answers to a claim.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Granted {
    /// Microseconds charged.
    pub us: f64,
    /// Compiles whose work was charged before, each with the finding that was charged, by its number.
    pub held: Vec<Held>,
}

/// A compile whose work was charged to another finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub compile: CompileIndex,
    /// The finding's number, as the claim gave it.
    pub finding: usize,
}

impl Ledger {
    /// Opens the accounts of a log whose compile time is that many seconds.
    pub fn new(model: &Model, split: &Split, one_offs: &[OneOff], compile_time_s: f64) -> Ledger {
        let mut apart: FxHashMap<CompileIndex, Apart> = FxHashMap::default();
        for one in one_offs {
            let sum = apart.entry(one.compile).or_default();
            sum.us += one.us;
            sum.in_graph_us += one.in_graph_us;
        }
        let at_run_time = at_run_time(model);
        let of = |(index, compile)| {
            let apart = apart.get(&index).copied().unwrap_or_default();
            let at_run_time_us = amount(at_run_time.get(&index).map_or(0.0, RunTime::total_us));
            (index, Account { at_run_time_us, ..Account::new(compile, split.at(index), apart) })
        };
        let accounts = model.compiles.indexed().map(of).collect();
        Ledger { accounts, left_us: amount(compile_time_s * 1e6) }
    }

    /// Charges what is left of the work that a finding claims.
    pub fn charge(&mut self, finding: usize, claim: &Claim) -> Granted {
        let mut granted = Granted::default();
        for &compile in &claim.compiles {
            let Some(account) = self.accounts.get_mut(&compile) else { continue };
            let most = claim.most_us.map_or(f64::INFINITY, amount);
            let most = if claim.work == Work::AtRunTime { most } else { most.min(self.left_us) };
            let us = account.take(claim.work, most);
            if us > 0.0 {
                granted.us += us;
                account.hold(finding, us);
                if claim.work != Work::AtRunTime && claim.kind.is_loss() {
                    self.left_us = (self.left_us - us).max(0.0);
                }
            } else if let Some(holder) = account.holder.filter(|holder| holder.finding != finding) {
                granted.held.push(Held { compile, finding: holder.finding });
            }
        }
        granted
    }
}

impl Account {
    fn hold(&mut self, finding: usize, us: f64) {
        if self.holder.is_none_or(|holder| holder.us < us) {
            self.holder = Some(Holder { finding, us });
        }
    }

    fn new(compile: &Compile, parts: Parts, apart: Apart) -> Account {
        let sum = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |sum, us| sum + amount(us));
        // A compile without metrics, as ahead of time, has no time but that of its spans.
        let total = amount(compile.compile_us().unwrap_or(apart.us));
        let discarded_us = sum(&mut compile.metrics.iter().filter_map(|m| m.facts.wasted_us)).min(total);
        let apart_us = amount(apart.us).min(total - discarded_us);
        let graph_us = amount(inductor_graph_us(&parts) + aot_graph_us(&parts) - apart.in_graph_us);
        let inductor_graph_us = amount(inductor_graph_us(&parts)).min(graph_us);
        Account {
            discarded_us,
            kept_us: total - discarded_us - apart_us,
            apart_us,
            inductor_graph_us,
            aot_graph_us: graph_us - inductor_graph_us,
            ..Account::default()
        }
    }

    /// Takes what is left of a work, at most as much as that.
    fn take(&mut self, work: Work, most_us: f64) -> f64 {
        let mut none = f64::INFINITY;
        let limit = match work {
            Work::InductorGraph => &mut self.inductor_graph_us,
            Work::AotGraph => &mut self.aot_graph_us,
            _ => &mut none,
        };
        let most_us = most_us.min(*limit);
        let sources: &mut [&mut f64] = match work {
            Work::Discarded => &mut [&mut self.discarded_us],
            Work::Compile => &mut [&mut self.kept_us, &mut self.discarded_us],
            Work::InductorGraph | Work::AotGraph => &mut [&mut self.kept_us],
            Work::OneOff => &mut [&mut self.apart_us],
            Work::Whole => &mut [&mut self.kept_us, &mut self.discarded_us, &mut self.apart_us],
            Work::AtRunTime => &mut [&mut self.at_run_time_us],
        };
        let mut taken = 0.0;
        for source in sources {
            let us = source.min(most_us - taken).max(0.0);
            **source -= us;
            taken += us;
        }
        *limit -= taken;
        taken
    }
}

/// Whole microseconds, so that sums of seconds with six decimals are what was charged; none where a log has nonsense.
pub(super) fn amount(us: f64) -> f64 {
    if us.is_finite() { us.max(0.0).floor() } else { 0.0 }
}
