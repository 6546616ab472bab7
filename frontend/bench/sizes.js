import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import webpack from 'webpack';
import BundleTracker from 'webpack-bundle-tracker';
import config from '../../webpack.config.js';

const gzipContent = promisify(gzip);
const brotliContent = promisify(brotliCompress);
const KINDS = { '.js': 'js', '.css': 'css' };

/** The production configuration with another output folder, and without the stats file for Django. */
function configFor(folder, entry) {
  const production = config(undefined, { mode: 'production' });
  return {
    ...production,
    entry: { main: entry },
    output: { ...production.output, path: folder },
    plugins: production.plugins.filter((plugin) => !(plugin instanceof BundleTracker)),
    performance: { hints: false },
  };
}

async function buildBundles(folders) {
  const entries = ['./frontend/src/app/main.tsx', './frontend/bench/base.js'];
  const stats = await promisify(webpack)(
    entries.map((entry, index) => configFor(folders[index], entry)),
  );
  if (stats.hasErrors()) {
    throw new Error(stats.toString('errors-only'));
  }
  return stats.stats.map(({ compilation }) => compilation);
}

async function measureFiles(folder, files) {
  const total = { js: { raw: 0, gzip: 0, brotli: 0 }, css: { raw: 0, gzip: 0, brotli: 0 } };
  for (const file of files) {
    const kind = total[KINDS[path.extname(file)]];
    if (kind) {
      const content = await readFile(path.join(folder, file));
      kind.raw += content.length;
      kind.gzip += (await gzipContent(content, { level: 9 })).length;
      kind.brotli += (await brotliContent(content)).length;
    }
  }
  return total;
}

/** The files of each lazy chunk by import request, without those of the initial bundle. */
function listLazyFiles(compilation) {
  const initial = new Set(compilation.entrypoints.get('main').getFiles());
  const parts = new Map();
  for (const group of compilation.chunkGroups) {
    for (const { request } of group.isInitial() ? [] : group.origins) {
      parts.set(
        request,
        group.getFiles().filter((file) => !initial.has(file)),
      );
    }
  }
  return parts;
}

const scratch = await mkdtemp(path.join(tmpdir(), 'portal-sizes-'));
try {
  const folders = ['app', 'base'].map((name) => path.join(scratch, name));
  const [app, base] = await buildBundles(folders);
  const measured = {
    base: await measureFiles(folders[1], base.entrypoints.get('main').getFiles()),
    initial: await measureFiles(folders[0], app.entrypoints.get('main').getFiles()),
    parts: {},
  };
  for (const [request, files] of listLazyFiles(app)) {
    measured.parts[request] = await measureFiles(folders[0], files);
  }
  process.stdout.write(JSON.stringify(measured));
} finally {
  await rm(scratch, { recursive: true });
}
