//! Archives of given files, made byte by byte so that they can be damaged in known ways.

use std::io::Write;

/// A name and a content.
pub type Member<'m> = (&'m str, &'m [u8]);

/// A tar as `tar` and Python write it: names of over 100 bytes are in a record of their own.
pub fn tar(members: &[Member<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in members {
        if name.len() > 100 {
            add_to_tar(&mut bytes, "././@LongLink", b'L', format!("{name}\0").as_bytes());
        }
        add_to_tar(&mut bytes, &name[..name.len().min(100)], b'0', content);
    }
    bytes.extend([0; 1024]);
    bytes
}

fn add_to_tar(bytes: &mut Vec<u8>, name: &str, kind: u8, content: &[u8]) {
    let mut block = [0u8; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
    block[148..156].copy_from_slice(b"        ");
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    bytes.extend(block);
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
}

/// A zip with compressed members.
pub fn zip(members: &[Member<'_>]) -> Vec<u8> {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let mut packing = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        packing.write_all(content).unwrap();
        let packed = packing.finish().unwrap();
        let numbers: Vec<u8> = [20u16, 0, 8, 0, 0]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .chain(
                [crc.sum(), packed.len() as u32, content.len() as u32].iter().flat_map(|n| n.to_le_bytes()),
            )
            .chain((name.len() as u16).to_le_bytes())
            .chain([0; 2])
            .collect();
        let offset = bytes.len() as u32;
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&numbers);
        bytes.extend(name.as_bytes());
        bytes.extend(packed);
        list.extend(b"PK\x01\x02\x14\0");
        list.extend(&numbers);
        list.extend([0; 10]);
        list.extend(offset.to_le_bytes());
        list.extend(name.as_bytes());
    }
    let (offset, count) = (bytes.len() as u32, members.len() as u16);
    bytes.extend(&list);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend((list.len() as u32).to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// Packed as `gzip` does.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packing = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packing.write_all(bytes).unwrap();
    packing.finish().unwrap()
}

/// Packed as `zstd` does.
pub fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}
