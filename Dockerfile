# docker build -t tlparse .
# docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" tlparse trace.log --no-browser
FROM rust:1.89.0-bookworm AS build
WORKDIR /src
# The dependencies alone, which change rarely: a layer that is built once.
COPY Cargo.toml Cargo.lock ./
COPY benches/speed/Cargo.toml benches/speed/
COPY fuzz/Cargo.toml fuzz/
RUN mkdir -p src tests benches/growth fuzz/src \
    && echo 'fn main() {}' | tee src/main.rs tests/main.rs benches/growth/main.rs benches/speed/speed.rs fuzz/src/main.rs \
    && touch src/lib.rs \
    && cargo build --release --locked --bin tlparse \
    && cargo clean --release --package tlparse \
    && rm -r src
COPY src src
RUN cargo build --release --locked --bin tlparse

FROM debian:12.11-slim
RUN useradd --create-home --uid 10001 tlparse
COPY --from=build /src/target/release/tlparse /usr/local/bin/tlparse
USER tlparse
WORKDIR /work
ENTRYPOINT ["tlparse"]
