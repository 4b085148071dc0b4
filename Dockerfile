# docker build -t tlparse .
# docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" tlparse trace.log --no-browser
FROM rust:1.89.0-bookworm AS build
WORKDIR /src
COPY . .
# Crates and what was built of them stay between builds.
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo install --locked --path . --root /out

FROM debian:12.12-slim
RUN useradd --create-home --uid 10001 tlparse
COPY --from=build /out/bin/tlparse /usr/local/bin/tlparse
USER tlparse
WORKDIR /work
ENTRYPOINT ["tlparse"]
