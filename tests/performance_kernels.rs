//! Kernels whose bytes and FLOPs take reading: templates, updates in place, views, copies of a layout, and graphs that were not
//! cached. `tests/inputs/scripts/s26_kernels.py` says what each of them works on.

use crate::performance::{of_cpu, rows};
use crate::support::Report;
use serde_json::{Value, json};
use std::sync::OnceLock;

const FLOAT: f64 = 4.0;

fn report() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| of_cpu("26_kernels"))
}

/// The only kernel of that name.
fn kernel(name: &str) -> &'static Value {
    let mut found = rows(report(), "kernels").iter().filter(|kernel| kernel["name"] == name);
    let kernel = found.next().unwrap_or_else(|| panic!("{name} is not in the report"));
    assert!(found.next().is_none(), "{name}");
    kernel
}

fn bytes(name: &str) -> f64 {
    kernel(name)["bytes"].as_f64().unwrap_or_else(|| panic!("{name} has no bytes"))
}

#[test]
fn templates_of_cpp_are_in_the_report_with_the_flops_of_the_product_that_they_compute() {
    for (name, inner, columns) in
        [("graph_0_gemm_m96n256k128_kernel", 128.0, 256.0), ("graph_0_gemm_m96n64k256_kernel", 256.0, 64.0)]
    {
        let found = kernel(name);
        assert_eq!(found["flops"].as_f64(), Some(2.0 * 96.0 * inner * columns), "{found:#}");
        let elements = 96.0 * inner + inner * columns + columns + 96.0 * columns;
        assert_eq!(bytes(name), FLOAT * elements);
        assert_eq!((&found["backend"], &found["compile_ids"]), (&json!("cpp"), &json!(["0/0"])));
        assert_eq!((&found["computes_in"], &found["lines"][0]["line"]), (&json!("fp32"), &json!(35)));
    }
}

#[test]
fn causal_attention_in_a_template_counts_half_of_all_products() {
    let found = kernel("graph_1_kernel");
    let all = 2.0 * 2.0 * 128.0 * 128.0 * (64.0 + 64.0);
    assert_eq!(found["flops"].as_f64(), Some(all / 2.0), "{found:#}");
    assert_eq!(found["lines"][0]["line"], 40);
}

#[test]
fn a_copy_into_another_layout_has_none_of_the_flops_of_the_convolution_that_it_serves() {
    let convolution = kernel("aten::convolution");
    assert_eq!(convolution["flops"].as_f64(), Some(2.0 * 2.0 * 8.0 * 4.0 * 9.0 * 16.0 * 16.0));
    for copy in ["graph_4_cpp_fused_convolution_0", "graph_4_cpp_fused_convolution_1"] {
        assert_eq!(kernel(copy)["flops"], Value::Null, "{copy}");
    }
    let (image, window) = (2.0 * 4.0 * 256.0, 8.0 * 4.0 * 9.0);
    assert_eq!(bytes("graph_4_cpp_fused_convolution_0"), 2.0 * FLOAT * (image + window), "read and written");
}

#[test]
fn what_an_update_reads_and_writes_under_two_names_counts_twice() {
    let elements = 64.0 * 32.0 + 64.0;
    // Weights and moments are updated, gradients are read.
    assert_eq!(bytes("graph_2_cpp_fused__foreach_add__foreach_mul_copy__0"), FLOAT * 5.0 * elements);
}

#[test]
fn parts_of_a_joined_tensor_and_the_whole_of_it_count_once() {
    let (joined, sums) = (10.0 * 12.0, 12.0);
    assert_eq!(bytes("graph_3_cpp_fused_add_mul_sum_0"), FLOAT * (10.0 * 4.0 + 10.0 * 8.0 + joined + sums));
}

#[test]
fn a_graph_that_was_not_cached_is_found_by_its_compile() {
    let mut products = rows(report(), "kernels").iter().filter(|kernel| kernel["name"] == "aten::addmm");
    let only = products.next().unwrap();
    assert_eq!((&only["compile_ids"], &only["lines"][0]["line"]), (&json!(["5/0"]), &json!(63)), "{only:#}");
    assert!(products.next().is_none());
}

#[test]
fn a_wrapper_in_cpp_says_the_sizes_of_its_kernels_and_products_as_one_in_python_does() {
    let product = kernel("aoti_torch_cpu_addmm_out");
    assert_eq!(product["flops"].as_f64(), Some(2.0 * 24.0 * 32.0 * 16.0), "{product:#}");
    assert_eq!((&product["compile_ids"], &product["lines"][0]["line"]), (&json!(["6/0"]), &json!(68)));
    // Input and output, and a maximum and a sum for each row.
    let (matrix, row) = (24.0 * 16.0, 24.0);
    assert_eq!(bytes("graph_6_cpp_fused__softmax_0"), FLOAT * (2.0 * matrix + 2.0 * row));
}

#[test]
fn every_generated_kernel_of_the_trace_is_counted_and_has_bytes() {
    let mut count = 0;
    for kernel in rows(report(), "kernels").iter().filter(|kernel| kernel["backend"] == "cpp") {
        assert!(kernel["bytes"].as_f64() > Some(0.0) && kernel["count"] == 3, "{kernel:#}");
        count += 1;
    }
    assert_eq!(count, 9);
    assert_eq!(report().json["performance"]["unjoined"]["launches"], 0);
}
