# One image for every process: web, the three kinds of worker, beat, and `manage.py`. docs/deployment.md says how it is run.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG PYTHON_IMAGE=python:3.13-slim-bookworm


FROM ${NODE_IMAGE} AS bundle
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# No package of ours needs a script of its own to be installed.
RUN npm ci --ignore-scripts
COPY tsconfig.json webpack.config.js ./
COPY frontend frontend
RUN npm run --silent build


FROM ${PYTHON_IMAGE} AS packages
RUN python -m venv /opt/venv
COPY requirements.txt /tmp/requirements.txt
# Ready-made and of a known digest: nothing is compiled, and nothing is run while it is installed.
RUN /opt/venv/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r /tmp/requirements.txt


FROM ${PYTHON_IMAGE} AS portal
# Pango draws the text of invoices.
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 portal \
    && useradd --uid 10001 --gid portal --no-create-home --home-dir /tmp --shell /usr/sbin/nologin portal

ENV PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PORTAL_ENV=production \
    VAR_DIR=/var/lib/portal \
    XDG_CACHE_HOME=/tmp/cache

WORKDIR /app
COPY --from=packages /opt/venv /opt/venv
COPY manage.py ./
COPY accounts accounts
COPY billing billing
COPY core core
# The admin shows it.
COPY docs/runbook.md docs/runbook.md
COPY operators operators
COPY portal portal
COPY preferences preferences
COPY templates templates
COPY --from=bundle /src/frontend/dist frontend/dist
# Static files are part of the image; pictures and invoices are written to `media`, which all processes share.
RUN PORTAL_ENV=demo python manage.py collectstatic --noinput -v 0 \
    && python -m compileall -q /app /opt/venv/lib \
    && chown -R portal:portal "$VAR_DIR/media" \
    && rm -rf /tmp/* "$VAR_DIR"/metrics*
# Each container counts for itself: their processes have the same numbers, and would write to each other's files.
ENV PROMETHEUS_MULTIPROC_DIR=/tmp/metrics

USER portal
VOLUME /var/lib/portal/media
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=3 CMD ["python", "-m", "portal.monitoring.probe"]
CMD ["gunicorn", "-c", "portal/gunicorn_conf.py", "portal.wsgi"]
