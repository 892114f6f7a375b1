# Mail on 1025, HTTP on 8025, POP3 on 1110, IMAP on 1143, state in /data. Every option of `mailcap dev` is a variable: --limits off is MAILCAP_LIMITS=off.
ARG NODE_IMAGE=node:22-bookworm-slim
# What the images of Mailpit and MailDev are made of: health checks of compose files call its wget.
ARG ALPINE_IMAGE=node:22-alpine

# npm runs on the machine that builds, for whatever platform: what it installs is JavaScript.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS package
WORKDIR /package
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm pack --ignore-scripts && mv mailcap-*.tgz mailcap.tgz

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS root
WORKDIR /stage
COPY package.json package-lock.json root/app/
RUN cd root/app && npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# The driver for a --store on PostgreSQL and the signer for --store-blobs, which are optional elsewhere.
RUN npm install --prefix driver --no-save --ignore-scripts --no-audit --no-fund \
    "pg@$(node -p "require('./root/app/package-lock.json').packages['node_modules/pg'].version")" \
    "aws4fetch@$(node -p "require('./root/app/package-lock.json').packages['node_modules/aws4fetch'].version")" \
  && cp -rn driver/node_modules/. root/app/node_modules/
COPY --from=package /package/mailcap.tgz ./
# Node loads no types, and a container needs no plugin. ui/ holds the README's picture, docs/ what the bundle has too.
RUN tar -xzf mailcap.tgz --strip-components=1 -C root/app \
  && rm -r root/app/ui root/app/docs root/app/package-lock.json \
  && find root/app -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' \) -delete \
  && mkdir -p root/usr/local/bin \
  && ln -s ../../../app/bin/mailcap.js root/usr/local/bin/mailcap \
  && ln -s app/bin/mailpit.js root/mailpit \
  && ln -s ../../../app/bin/mailpit.js root/usr/local/bin/mailpit \
  && ln -s ../../../app/bin/maildev.js root/usr/local/bin/maildev \
  && mkdir -m 1777 root/data

# docker build --target mailpit: takes the place of Mailpit's image by its name alone (docs/drop-in.md). As there, the user
# is root, who may write to the directories that a compose file mounts. The local API needs no token.
FROM ${ALPINE_IMAGE} AS mailpit
COPY --from=root /stage/root/ /
ENV NODE_ENV=production \
    MAILCAP_DATA_DIR=/data \
    MP_UI_BIND_ADDR=[::]:8025 \
    MP_SMTP_BIND_ADDR=[::]:1025
WORKDIR /data
EXPOSE 1025/tcp 8025/tcp
HEALTHCHECK --interval=15s --start-period=10s --retries=3 CMD ["/mailpit", "readyz"]
ENTRYPOINT ["/mailpit"]

# docker build --target maildev: the same for MailDev's image, with its ports.
FROM ${ALPINE_IMAGE} AS maildev
COPY --from=root /stage/root/ /
ENV NODE_ENV=production \
    MAILCAP_DATA_DIR=/data \
    MAILDEV_WEB_IP=:: \
    MAILDEV_IP=:: \
    MAILDEV_WEB_PORT=1080 \
    MAILDEV_SMTP_PORT=1025
USER 1000:1000
WORKDIR /data
EXPOSE 1080 1025
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s --retries=3 CMD ["mailcap", "health"]
ENTRYPOINT ["maildev"]

# Nothing runs in this stage, so that it builds for any platform. /data is open to whatever --user a container is given.
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="mailcap" \
      org.opencontainers.image.description="A mail server for tests that sends nothing on" \
      org.opencontainers.image.licenses="MIT"
COPY --from=root /stage/root/ /
# Beyond loopback the local API asks for MAILCAP_ADMIN_TOKEN; without one it is made, kept in /data and printed.
ENV NODE_ENV=production \
    MAILCAP_HOST=0.0.0.0 \
    MAILCAP_POP3_PORT=1110 \
    MAILCAP_IMAP_PORT=1143 \
    MAILCAP_DATA_DIR=/data
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8025 1025 1110 1143
HEALTHCHECK --interval=5s --timeout=10s --start-period=30s --retries=3 CMD ["mailcap", "health"]
ENTRYPOINT ["mailcap"]
CMD ["dev"]
