# One release, not whatever the tag means tomorrow; `--build-arg PYTHON_IMAGE=…@sha256:…` pins it to the byte.
ARG PYTHON_IMAGE=python:3.11.11-slim-bookworm
FROM ${PYTHON_IMAGE}

# GNU OpenMP: llama.cpp computes with it, and the slim image leaves it out. npm: `npx` runs MCP servers.
# espeak-ng: the phonemes of spoken answers.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 nodejs npm espeak-ng \
    && rm -rf /var/lib/apt/lists/*

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOST=0.0.0.0 \
    PORT=8000 \
    DATA_DIR=/data

WORKDIR /srv/wasap

# `--build-arg EXTRAS=local` leaves out voice, pictures, documents and charts (about 900 MB).
ARG EXTRAS=local,documents,pictures,voice,charts
COPY pyproject.toml constraints.txt README.md ./
COPY app ./app
RUN pip install --no-cache-dir --disable-pip-version-check -c constraints.txt ".[${EXTRAS}]" \
    && rm -rf build ./*.egg-info app \
    && wasap compile
COPY skills ./skills

# Fails the build rather than running without the vector extension or the bundled model's library.
RUN ["python", "-c", "import asyncio, xllamacpp\nfrom app.database.db import Database\nasync def check():\n    async with Database.open(':memory:') as db:\n        assert db.has_vectors, 'sqlite-vec does not load'\nasyncio.run(check())"]

RUN useradd --create-home --uid 10001 wasap \
    && install --directory --owner=wasap --group=wasap --mode=0700 /data
USER wasap

VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.build_opener(u.ProxyHandler({})).open('http://127.0.0.1:' + os.environ['PORT'] + '/health/live', timeout=4)"]

CMD ["python", "-m", "app", "serve", "--verbose"]
