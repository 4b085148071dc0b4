# docker build -t tlparse .
# docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" tlparse trace.log --no-browser
FROM rust:1-bookworm AS build
COPY . /src
RUN cargo install --locked --path /src --root /out

FROM debian:bookworm-slim
COPY --from=build /out/bin/tlparse /usr/local/bin/tlparse
WORKDIR /work
ENTRYPOINT ["tlparse"]
