# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# docker build -t perfc . && docker run --rm -v "$PWD":/src perfc run my.perf
# Without an engine, ./dev image builds and tries it.

FROM debian:12 AS build
ARG PERFC_CMAKE_ARGS
ENV CCACHE_DIR=/ccache
COPY . /perfc
WORKDIR /perfc
RUN ./dev package /packages

FROM debian:12-slim
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    apt-get update && apt-get install -y --no-install-recommends /packages/perfc_*.deb && rm -rf /var/lib/apt/lists/*
WORKDIR /src
ENTRYPOINT ["perfc"]
