//! Tests of whole drawings.

use super::*;

#[test]
fn debug() {
    let graph = std::fs::read_to_string(std::env::var("G").unwrap()).unwrap();
    let captured = std::env::var("C").ok().map(|path| std::fs::read_to_string(path).unwrap());
    let drawing = Drawing::of(&GraphTexts { graph: &graph, captured: captured.as_deref(), origins: None });
    for (at, block) in drawing.blocks.iter().enumerate() {
        if block.layers == 0 {
            continue;
        }
        println!(
            "{at} {} [{}] total {} layers {} items {} ports {:?} exits {:?} edges {}",
            block.id,
            block.name,
            block.total,
            block.layers,
            block.links.items.len(),
            block.links.ports,
            block.links.exits,
            block.links.edges.len()
        );
        let names: Vec<String> = block
            .links
            .items
            .iter()
            .map(|item| match item {
                Item::Operator(at) => drawing.operators[*at].name.clone(),
                Item::Block(at) => format!("<{}>", drawing.blocks[*at].name),
                Item::Input(at) => format!("({})", drawing.inputs[*at].name),
            })
            .collect();
        println!("      {}", names.join(" "));
    }
    for level in [Level::Modules, Level::Submodules, Level::All] {
        println!("{level:?} {:?} {:?}", drawing.boxes_at(level), drawing.sheet(0, level).size);
    }
}
