//! Sizes of the values of a captured graph.

/// The size of a value of a captured graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphSize<'s> {
    pub value: &'s str,
    /// `(4, s77)`
    pub size: &'s str,
}

/// Sizes of the values of a graph, in the order of the graph.
///
/// Logs of many small graphs have a hundred thousand of them, so all texts of a graph are one text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct GraphSizes {
    text: Box<str>,
    /// Where each value and each size end in the text; a value precedes its size.
    ends: Box<[[u32; 2]]>,
}

impl GraphSizes {
    pub fn iter(&self) -> impl Iterator<Item = GraphSize<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|[_, end]| *end));
        starts.zip(&self.ends).filter_map(|(start, [middle, end])| {
            let text = |from: u32, to: u32| self.text.get(from as usize..to as usize);
            Some(GraphSize { value: text(start, *middle)?, size: text(*middle, *end)? })
        })
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Values with their sizes. What is beyond four gigabytes is left out; torch writes a few kilobytes.
impl<'s> FromIterator<(&'s str, String)> for GraphSizes {
    fn from_iter<I: IntoIterator<Item = (&'s str, String)>>(sizes: I) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for (value, size) in sizes {
            let middle = u32::try_from(text.len() + value.len());
            let end = u32::try_from(text.len() + value.len() + size.len());
            let (Ok(middle), Ok(end)) = (middle, end) else { break };
            text.push_str(value);
            text.push_str(&size);
            ends.push([middle, end]);
        }
        GraphSizes { text: text.into(), ends: ends.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_sizes_are_what_they_were_also_where_one_is_empty() {
        let told = [("mul", "(4, s77)"), ("", "()"), ("add", ""), ("größe", "(2,)")];
        let sizes: GraphSizes = told.iter().map(|(value, size)| (*value, (*size).to_owned())).collect();
        let read: Vec<_> = sizes.iter().map(|one| (one.value, one.size)).collect();
        assert_eq!(read, told);
        assert_eq!(sizes.len(), 4);
    }
}
