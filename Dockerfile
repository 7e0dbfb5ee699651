# syntax=docker/dockerfile:1
# Debian 12 with all that building and testing need, in the versions that releases are built with (docs/building.md).
#
#   docker build --target tools -t zarr-wasm-tools .          the programs alone; what .devcontainer uses
#   docker build --target package --output type=local,dest=out .    out/zarr-wasm-*.tgz, the npm package
#   docker build --target test .                              npm test
FROM node:20-bookworm AS tools
WORKDIR /zarr-wasm
COPY scripts ./scripts
RUN node scripts/setup.mjs build native fuzz library node browser \
  && apt-get install -y -qq --no-install-recommends clang-format \
  && rm -rf /var/lib/apt/lists/* scripts build

FROM tools AS build
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM build AS pack
RUN mkdir /out && npm pack --ignore-scripts --pack-destination /out

FROM scratch AS package
COPY --from=pack /out/ /

FROM build AS test
RUN npm test
